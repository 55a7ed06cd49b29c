#include "core/ops/rules/rules.h"

// Operators with a result that all ranks must agree on, or that return a scalar to the program.

namespace shardlens {
namespace {

// Tensors are equal, or close, if their parts are so on every rank.
std::vector<SingleDimStrategy> equal(const OpSchema& call) {
  std::vector<SingleDimStrategy> strategies;
  if (call.input(0).shape != call.input(1).shape) return strategies;
  for (int dim = 0; dim < call.input(0).ndim(); ++dim) {
    for (const auto& shard : shardsOf(call, dim))
      strategies.push_back({"sharded", {}, {shard, shard}});
  }
  return strategies;
}

// gradient *= scale; found = max(found, any element is not finite). Each rank checks its part, and
// the flags are reduced. For a partial gradient each partial value is checked: finite ones may have
// an infinite sum, which goes undetected here and in DTensor.
std::vector<SingleDimStrategy> unscale(const OpSchema& call) {
  std::vector<SingleDimStrategy> strategies;
  const auto add = [&](const char* name, const Placement& gradient) {
    SingleDimStrategy strategy{
        name, Placements(call.outputs.size(), Replicate{}), {gradient, Replicate{}, Replicate{}}};
    strategy.outputs.front() = gradient;
    strategies.push_back(std::move(strategy));
  };
  for (int dim = 0; dim < call.input(0).ndim(); ++dim) {
    for (const auto& shard : shardsOf(call, dim)) add("sharded", shard);
  }
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg}) add("partial result", Partial{op});
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
