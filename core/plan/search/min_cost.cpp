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
  PathCost least;
  std::uint32_t way;
  bool operator<(const Open& other) const {
    return least != other.least ? least > other.least : way > other.way;
  }
};

class Search {
 public:
  Search(PlacementCodec& layouts, EdgeCosts& tolls, const PathCost& known)
      : layouts_(layouts), tolls_(tolls), neighbours_(layouts), known_(known) {}

  // Returns the edges of the best path to the target, or nullopt if it is not better than the known
  // one or the search was stopped.
  std::optional<std::vector<Edge>> run(int mostLayouts) {
    ways_.clear();
    open_.clear();
    open({{}, {layouts_.source(), 0, Move::Relabel}, Frontier::kNone});
    while (!open_.empty()) {
      if (explored_ == mostLayouts) {
        wasStopped_ = true;
        return std::nullopt;
      }
      std::pop_heap(open_.begin(), open_.end());
      const std::uint32_t index = open_.back().way;
      open_.pop_back();
      if (ways_.isDominated(index)) continue;
      const SearchNode way = ways_[index];
      if (way.last.to == layouts_.target()) {
        if (way.toll < known_) return traced(index);
        return std::nullopt;
      }
      ++explored_;
      for (const auto& edge : neighbours_.of(way.last.to)) {
        open({way.toll + tolls_.of(way.last.to, edge), edge, index});
      }
    }
    return std::nullopt;
  }
  int explored() const { return explored_; }
  bool wasStopped() const { return wasStopped_; }

 private:
  void open(const SearchNode& way) {
    const PathCost least = way.toll + tolls_.least(way.last.to);
    if (least.time > known_.time || least.collectives > known_.collectives ||
        least.bytes > known_.bytes + kRounding) {
      return;
    }
    const std::uint32_t index = ways_.add(way);
    if (index == Frontier::kNone) return;
    open_.push_back({least, index});
    std::push_heap(open_.begin(), open_.end());
  }

  std::vector<Edge> traced(std::uint32_t index) const {
    std::vector<Edge> edges;
    for (; ways_[index].before != Frontier::kNone; index = ways_[index].before) {
      edges.push_back(ways_[index].last);
    }
    std::reverse(edges.begin(), edges.end());
    return edges;
  }

  // Bytes are rounded in every step, so equal sums may differ by this much.
  static constexpr std::int64_t kRounding = 8;

  PlacementCodec& layouts_;
  EdgeCosts& tolls_;
  Expansions neighbours_;
  PathCost known_;
  int explored_ = 0;
  bool wasStopped_ = false;
  // Thread-local to reuse the memory between searches.
  inline static thread_local Frontier ways_;
  inline static thread_local std::vector<Open> open_;
};

PathCost tollOf(const Plan& plan, PlacementCodec& layouts, EdgeCosts& tolls) {
  PathCost sum;
  PlacementCode at = layouts.source();
  for (const auto& step : plan) {
    const int i = layouts.indexOf(step.meshDims.front());
    if (i < 0) continue;
    const auto& to = step.to[static_cast<std::size_t>(step.meshDims.front())];
    const Edge edge{PlacementCodec::with(at, i, layouts.codeOf(to)), 1U << i, step.move};
    if (edge.to == at) continue;
    sum = sum + tolls.of(at, edge);
    at = edge.to;
  }
  return sum;
}

// Writes the edge as a step. An equal shard keeps its notation, from before or from the target.
TransformInfo stepOf(const Edge& edge, const PlacementCodec& layouts, const Placements& from,
                     const Placements& target) {
  TransformInfo step{{}, edge.move, from, from};
  for (int i = 0; i < layouts.ndim(); ++i) {
    if ((edge.dims >> i & 1) != 0) step.meshDims.push_back(layouts.meshDim(i));
    const auto dim = static_cast<std::size_t>(layouts.meshDim(i));
    const Placement to = layouts.placement(PlacementCodec::codeAt(edge.to, i));
    if (sameCut(step.to[dim], to)) continue;
    step.to[dim] = sameCut(target[dim], to) ? target[dim] : to;
  }
  return step;
}

// Writes the path as a plan. Steps that move nothing are for mesh dimensions with one rank and for
// shards that only change notation. They are placed before or after the edges, so that partials of
// two kinds never coexist.
Plan written(const std::vector<Edge>& edges, const PlacementCodec& layouts, const Spec& current,
             const Placements& target) {
  Steps steps(current.placements);
  for (std::size_t dim = 0; dim < target.size(); ++dim) {
    const bool single = current.mesh->size(static_cast<int>(dim)) == 1;
    if (single && !isPartial(target[dim])) steps.change(dim, target[dim]);
  }
  for (const auto& edge : edges) steps.add(stepOf(edge, layouts, steps.state(), target));
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
                      const Plan& greedy, int mostLayouts) {
  if (greedy.size() < 2) return {greedy};
  if (orderShows(current)) {
    return {greedy, 0, 0, "averages of integers are reduced in the order of the greedy plan"};
  }
  PlacementCodec layouts(current, target);
  if (!layouts.fit()) {
    return {greedy, 0, 0,
            fmt::format("meshes of more than {} dimensions are not searched",
                        PlacementCodec::kMostDims)};
  }
  EdgeCosts tolls(model, current, layouts);
  const PathCost known = tollOf(greedy, layouts, tolls);
  if (known.collectives == 0 || known.steps < 2) return {greedy};
  Search search(layouts, tolls, known);
  const auto found = search.run(mostLayouts);
  return {
      found ? written(*found, layouts, current, target) : greedy, search.explored(),
      layouts.partsCompared(),
      search.wasStopped() ? fmt::format("the search stopped after {} layouts", mostLayouts) : ""};
}

std::vector<TransformInfo> firstSteps(const Spec& current, const Placements& target) {
  std::vector<TransformInfo> steps;
  PlacementCodec layouts(current, target);
  if (!layouts.fit()) return steps;
  Expansions neighbours(layouts);
  for (const auto& edge : neighbours.of(layouts.source())) {
    steps.push_back(stepOf(edge, layouts, current.placements, target));
  }
  return steps;
}

}  // namespace shardlens
