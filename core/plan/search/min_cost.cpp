#include "core/plan/search/min_cost.h"

#include "core/plan/search/expansions.h"
#include "core/plan/search/frontier.h"
#include "core/plan/transitions.h"

#include <fmt/core.h>

#include <algorithm>

namespace shardlens {
namespace {

// A path to expand. The heap yields the lowest bound of the total cost first, then the oldest path.
struct Open {
  PathCost bound;
  std::uint32_t path;
  bool operator<(const Open& other) const {
    return bound != other.bound ? bound > other.bound : path > other.path;
  }
};

class Search {
 public:
  Search(PlacementCodec& codec, EdgeCosts& edgeCosts, const PathCost& known)
      : codec_(codec), edgeCosts_(edgeCosts), expansions_(codec), known_(known) {}

  // Returns the edges of the best path to the target, or nullopt if it is not better than the known
  // one or the search was stopped.
  std::optional<std::vector<Edge>> run(int mostStates) {
    paths_.clear();
    open_.clear();
    open({{}, {codec_.source(), 0, Move::Relabel}, Frontier::kNone});
    while (!open_.empty()) {
      if (explored_ == mostStates) {
        wasStopped_ = true;
        return std::nullopt;
      }
      std::pop_heap(open_.begin(), open_.end());
      const std::uint32_t index = open_.back().path;
      open_.pop_back();
      if (paths_.isDominated(index)) continue;
      const SearchNode path = paths_[index];
      if (path.last.to == codec_.target()) {
        if (path.cost < known_) return traced(index);
        return std::nullopt;
      }
      ++explored_;
      for (const auto& edge : expansions_.of(path.last.to)) {
        open({path.cost + edgeCosts_.of(path.last.to, edge), edge, index});
      }
    }
    return std::nullopt;
  }
  int explored() const { return explored_; }
  bool wasStopped() const { return wasStopped_; }

 private:
  void open(const SearchNode& path) {
    const PathCost bound = path.cost + edgeCosts_.lowerBound(path.last.to);
    if (bound.time > known_.time || bound.collectives > known_.collectives ||
        bound.bytes > known_.bytes + kRounding) {
      return;
    }
    const std::uint32_t index = paths_.add(path);
    if (index == Frontier::kNone) return;
    open_.push_back({bound, index});
    std::push_heap(open_.begin(), open_.end());
  }

  std::vector<Edge> traced(std::uint32_t index) const {
    std::vector<Edge> edges;
    for (; paths_[index].before != Frontier::kNone; index = paths_[index].before) {
      edges.push_back(paths_[index].last);
    }
    std::reverse(edges.begin(), edges.end());
    return edges;
  }

  // Bytes are rounded in every step, so equal sums may differ by this much.
  static constexpr std::int64_t kRounding = 8;

  PlacementCodec& codec_;
  EdgeCosts& edgeCosts_;
  Expansions expansions_;
  PathCost known_;
  int explored_ = 0;
  bool wasStopped_ = false;
  // Thread-local to reuse the memory between searches.
  inline static thread_local Frontier paths_;
  inline static thread_local std::vector<Open> open_;
};

PathCost costOf(const Plan& plan, PlacementCodec& codec, EdgeCosts& edgeCosts) {
  PathCost sum;
  PlacementCode at = codec.source();
  for (const auto& step : plan) {
    const int i = codec.indexOf(step.meshDims.front());
    if (i < 0) continue;
    const auto& to = step.to[static_cast<std::size_t>(step.meshDims.front())];
    const Edge edge{PlacementCodec::with(at, i, codec.codeOf(to)), 1U << i, step.move};
    if (edge.to == at) continue;
    sum = sum + edgeCosts.of(at, edge);
    at = edge.to;
  }
  return sum;
}

// Writes the edge as a step. An equal shard keeps its notation, from before or from the target.
TransformInfo stepOf(const Edge& edge, const PlacementCodec& codec, const Placements& from,
                     const Placements& target) {
  TransformInfo step{{}, edge.move, from, from};
  for (int i = 0; i < codec.ndim(); ++i) {
    if ((edge.dims >> i & 1) != 0) step.meshDims.push_back(codec.meshDim(i));
    const auto dim = static_cast<std::size_t>(codec.meshDim(i));
    const Placement to = codec.placement(PlacementCodec::codeAt(edge.to, i));
    if (sameSharding(step.to[dim], to)) continue;
    step.to[dim] = sameSharding(target[dim], to) ? target[dim] : to;
  }
  return step;
}

// Writes the path as a plan. Steps that move nothing are for mesh dimensions with one rank and for
// shards that only change notation. They are placed before or after the edges, so that partials of
// two kinds never coexist.
Plan written(const std::vector<Edge>& edges, const PlacementCodec& codec, const Spec& current,
             const Placements& target) {
  Steps steps(current.placements);
  for (std::size_t dim = 0; dim < target.size(); ++dim) {
    const bool single = current.mesh->size(static_cast<int>(dim)) == 1;
    if (single && !isPartial(target[dim])) steps.change(dim, target[dim]);
  }
  for (const auto& edge : edges) steps.add(stepOf(edge, codec, steps.state(), target));
  for (std::size_t dim = 0; dim < target.size(); ++dim) steps.change(dim, target[dim]);
  return steps.take();
}

// Returns true if the order of reductions affects the result.
bool orderShows(const Spec& current) {
  const auto& all = current.placements;
  return std::count_if(all.begin(), all.end(), isPartial) > 1 &&
         std::any_of(all.begin(), all.end(),
                     [&](const auto& p) { return losesFractions(p, current.meta.dtype); });
}

}  // namespace

FoundPlan planMinCost(const CostModel& model, const Spec& current, const Placements& target,
                      const Plan& greedy, int mostStates) {
  if (greedy.size() < 2) return {greedy};
  if (orderShows(current)) {
    return {greedy, 0, 0, "averages of integers are reduced in the order of the greedy plan"};
  }
  PlacementCodec codec(current, target);
  if (!codec.fit()) {
    return {greedy, 0, 0,
            fmt::format("meshes of more than {} dimensions are not searched",
                        PlacementCodec::kMostDims)};
  }
  EdgeCosts edgeCosts(model, current, codec);
  const PathCost known = costOf(greedy, codec, edgeCosts);
  if (known.collectives == 0 || known.steps < 2) return {greedy};
  Search search(codec, edgeCosts, known);
  const auto found = search.run(mostStates);
  return {found ? written(*found, codec, current, target) : greedy, search.explored(),
          codec.partsCompared(),
          search.wasStopped() ? fmt::format("the search stopped after {} states", mostStates) : ""};
}

std::vector<TransformInfo> firstSteps(const Spec& current, const Placements& target) {
  std::vector<TransformInfo> steps;
  PlacementCodec codec(current, target);
  if (!codec.fit()) return steps;
  Expansions expansions(codec);
  for (const auto& edge : expansions.of(codec.source())) {
    steps.push_back(stepOf(edge, codec, current.placements, target));
  }
  return steps;
}

}  // namespace shardlens
