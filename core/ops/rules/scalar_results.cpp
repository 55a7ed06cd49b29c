#include "core/ops/rules/rules.h"

// Operators whose answer all ranks have to agree on, or that give a number to the program.

namespace shardlens {
namespace {

// Equal, or close, are tensors whose parts are, on every rank.
std::vector<SingleDimStrategy> equal(const OpSchema& call) {
  std::vector<SingleDimStrategy> strategies;
  if (call.input(0).shape != call.input(1).shape) return strategies;
  for (int dim = 0; dim < call.input(0).ndim(); ++dim) {
    for (const auto& shard : shardsOf(call, dim))
      strategies.push_back({"sharded", {}, {shard, shard}});
  }
  return strategies;
}

// gradient *= scale; found = max(found, whether any of it is not finite): each rank looks at its
// part, and the flags are reduced. Of terms each is looked at: finite ones may have an infinite sum,
// which passes here as it does in DTensor.
std::vector<SingleDimStrategy> unscale(const OpSchema& call) {
  std::vector<SingleDimStrategy> strategies;
  const auto add = [&](const char* name, const Placement& gradient) {
    SingleDimStrategy strategy{name, Placements(call.outputs.size(), Replicate{}),
                               {gradient, Replicate{}, Replicate{}}};
    strategy.outputs.front() = gradient;
    strategies.push_back(std::move(strategy));
  };
  for (int dim = 0; dim < call.input(0).ndim(); ++dim) {
    for (const auto& shard : shardsOf(call, dim)) add("sharded", shard);
  }
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg}) add("terms", Partial{op});
  return strategies;
}

std::vector<TensorMeta> scaleAndTracker(const OpSchema& call) {
  return {call.input(0), call.input(1)};
}

}  // namespace

std::vector<NamedRule> scalarResultRules() {
  constexpr auto kKept = Rule::EmptyShards::Kept;
  return {
      {"aten._local_scalar_dense", {.singleDimStrategies = onlyWhole, .outputs = noTensor}},
      {"aten.allclose", {.singleDimStrategies = equal, .emptyShards = kKept, .outputs = noTensor}},
      {"aten.equal", {.singleDimStrategies = equal, .emptyShards = kKept, .outputs = noTensor}},
      {"aten._amp_foreach_non_finite_check_and_unscale_",
       {.singleDimStrategies = unscale, .emptyShards = kKept}},
      {"aten._amp_update_scale_", {.singleDimStrategies = onlyWhole, .outputs = scaleAndTracker}}};
}

}  // namespace shardlens
