#include "core/ops/propagator.h"

#include "core/plan/planner.h"

#include <algorithm>
#include <optional>

namespace shardlens {
namespace {

bool sameRow(const Row& a, const Row& b) { return a.outputs == b.outputs && a.inputs == b.inputs; }

// The rule's rows after the one that is always possible; the first of equal ones.
std::vector<Row> allRows(const OpSchema& call, const Rule& rule) {
  std::vector<Row> rows{{"replicate", Placements(call.outputs.size(), Replicate{}),
                         Placements(call.inputs.size(), Replicate{})}};
  for (auto& row : rule.rows(call)) {
    const bool known = std::any_of(rows.begin(), rows.end(),
                                   [&](const Row& other) { return sameRow(row, other); });
    if (!known) rows.push_back(std::move(row));
  }
  return rows;
}

// Terms of different kinds cannot be reduced together, nor masked ones with others in one operator.
bool mixesPartials(const Placements& placements) {
  const Placement* masked = nullptr;
  const Placement* plain = nullptr;
  for (const auto& p : placements) {
    if (!isPartial(p)) continue;
    if (isMaskPartial(p) && masked != nullptr && *masked != p) return true;
    (isMaskPartial(p) ? masked : plain) = &p;
  }
  return (masked != nullptr && plain != nullptr) || kindsOfPartial(placements).size() > 1;
}

// Whether each cut leaves every rank something to hold.
bool isShardable(const Shape& shape, const DeviceMesh& mesh, const Placements& placements) {
  std::vector<std::int64_t> shards(shape.size(), 1);
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    const auto& placement = placements[static_cast<std::size_t>(dim)];
    const auto tensorDim = shardedDim(placement);
    if (!tensorDim) continue;
    if (*tensorDim >= static_cast<int>(shape.size())) return false;
    const auto at = static_cast<std::size_t>(*tensorDim);
    shards[at] *= mesh.size(dim);
    const auto* strided = std::get_if<StridedShard>(&placement);
    if (shape[at] < shards[at] * (strided != nullptr ? strided->splitFactor : 1)) return false;
  }
  return true;
}

// All ways to run the operator over the mesh, priced.
class Expansion {
 public:
  Expansion(const OpSchema& call, const Rule& rule, const CostModel& model)
      : call_(call), rule_(rule), model_(model), rows_(allRows(call, rule)) {}

  std::vector<OpStrategy> strategies() {
    taken_.clear();
    visit();
    return std::move(strategies_);
  }
  bool blockedInPlace() const { return blockedInPlace_; }

 private:
  void visit() {
    if (static_cast<int>(taken_.size()) == call_.mesh->ndim()) {
      if (auto strategy = priced(assemble())) strategies_.push_back(std::move(*strategy));
      return;
    }
    for (const auto& row : rows_) {
      taken_.push_back(&row);
      visit();
      taken_.pop_back();
    }
  }

  OpStrategy assemble() const {
    OpStrategy strategy;
    strategy.outputs.resize(call_.outputs.size());
    strategy.inputs.resize(call_.inputs.size());
    for (const Row* row : taken_) {
      if (strategy.name.empty()) {
        strategy.name = row->name;
      } else if (strategy.name != row->name) {
        strategy.name += " x " + row->name;
      }
      for (std::size_t i = 0; i < strategy.outputs.size(); ++i) {
        strategy.outputs[i].push_back(row->outputs[i]);
      }
      for (std::size_t i = 0; i < strategy.inputs.size(); ++i) {
        strategy.inputs[i].push_back(row->inputs[i]);
      }
    }
    return strategy;
  }

  std::optional<OpStrategy> priced(OpStrategy strategy) {
    for (const auto& output : strategy.outputs) {
      if (mixesPartials(output)) return std::nullopt;
    }
    for (std::size_t i = 0; i < strategy.inputs.size(); ++i) {
      const Spec& current = call_.inputs[i];
      const Placements& target = strategy.inputs[i];
      const bool stays = current.placements == target;
      if (mixesPartials(target)) return std::nullopt;
      if (!isShardable(current.meta.shape, *call_.mesh, target) &&
          !(stays && rule_.emptyShards == Rule::EmptyShards::Kept)) {
        return std::nullopt;
      }
      if (stays) continue;
      const auto plan = planGreedy(current, target);
      const auto cost = plan ? implicitCost(model_, current, *plan) : std::nullopt;
      if (!cost) return std::nullopt;
      strategy.cost += *cost;
      strategy.bytes += receivedBytes(current, *plan);
    }
    if (call_.inPlace && (strategy.inputs[0] != call_.inputs[0].placements ||
                          strategy.outputs[0] != call_.inputs[0].placements)) {
      blockedInPlace_ = true;
      return std::nullopt;
    }
    return strategy;
  }

  const OpSchema& call_;
  const Rule& rule_;
  const CostModel& model_;
  std::vector<Row> rows_;
  std::vector<const Row*> taken_;
  std::vector<OpStrategy> strategies_;
  bool blockedInPlace_ = false;
};

bool movesNothing(const OpStrategy& strategy, const OpSchema& call) {
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    if (strategy.inputs[i] != call.inputs[i].placements) return false;
  }
  return true;
}

tl::unexpected<Error> noneLeft(const OpSchema& call, bool blockedInPlace) {
  if (!blockedInPlace) {
    return fail(call.name + ": no valid sharding strategy for the input placements.");
  }
  return fail(call.name +
              ": in-place operations that require placement changes are not supported. The input "
              "has placement " +
              toText(call.inputs[0].placements) +
              ", but no valid strategy preserves this placement. Please use the out-of-place "
              "version of this operation instead.");
}

}  // namespace

Result<Propagation> propagate(const OpSchema& call, const Rule& rule, const CostModel& model) {
  Expansion expansion(call, rule, model);
  Propagation result{{}, expansion.strategies()};
  if (result.candidates.empty()) return noneLeft(call, expansion.blockedInPlace());
  const auto rank = [&](const OpStrategy& s) { return movesNothing(s, call) ? -1.0 : s.cost; };
  std::stable_sort(result.candidates.begin(), result.candidates.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  result.chosen = result.candidates.front();
  return result;
}

}  // namespace shardlens
