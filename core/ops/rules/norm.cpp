#include "core/ops/rules/reduced_dims.h"
#include "core/ops/rules/rules.h"

#include <cmath>

namespace shardlens {
namespace {

// Returns the order of the norm from the argument "ord" or "p"; 2 if there is none.
double orderOf(const OpSchema& call) {
  const auto* arg = call.findArg("ord") != nullptr ? call.findArg("ord") : call.findArg("p");
  if (arg == nullptr) return 2;
  if (const auto* whole = std::get_if<std::int64_t>(arg)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(arg)) return *number;
  return 2;
}

// Returns the placement of the norms of parts. Infinite orders are extremes; order 0 is a count.
Placement partialOf(double order) {
  if (std::isinf(order)) return Partial{order > 0 ? ReduceOp::Max : ReduceOp::Min};
  if (order == 0) return Partial{ReduceOp::Sum};
  return NormPartial{order};
}

// y[k] = (sum over r of |x[k, r]|^p)^(1/p)
std::vector<SingleDimStrategy> norm(const OpSchema& call) {
  return reductionRows(call, reducedDims(call), partialOf(orderOf(call)));
}

// y = (sum over i of |a[i] - b[i]|^p)^(1/p)
std::vector<SingleDimStrategy> distance(const OpSchema& call) {
  auto strategies = shardAlike(call, broadcastShape(call));
  for (auto& strategy : strategies) strategy.outputs = {partialOf(orderOf(call))};
  return strategies;
}

// Scales each slice x[..., i, ...] whose norm is too large.
std::vector<SingleDimStrategy> renorm(const OpSchema& call) {
  std::vector<SingleDimStrategy> strategies;
  if (call.input(0).ndim() == 0) return strategies;
  for (const auto& shard : shardsOf(call, dimArg(call, "dim", call.input(0).ndim()))) {
    strategies.push_back({"sharded", {shard}, {shard}});
  }
  return strategies;
}

// y[k] = sum over r of |x[k, r]|^p
std::vector<SingleDimStrategy> powerSum(const OpSchema& call) {
  return reductionRows(call, reducedDims(call), Partial{ReduceOp::Sum});
}

std::vector<TensorMeta> powerSumOutputs(const OpSchema& call) {
  return {reducedMeta(call, realDType(namedDType(call).value_or(call.input(0).dtype)))};
}

}  // namespace

std::vector<NamedRule> normRules() {
  std::vector<NamedRule> rules;
  for (const auto name : {"aten.linalg_vector_norm", "aten.norm.*", "aten._foreach_norm.*"}) {
    rules.push_back({name, {.singleDimStrategies = norm, .emptyShards = Rule::EmptyShards::Kept}});
  }
  rules.push_back(
      {"aten.dist", {.singleDimStrategies = distance, .emptyShards = Rule::EmptyShards::Kept}});
  rules.push_back(
      {"aten.renorm", {.singleDimStrategies = renorm, .emptyShards = Rule::EmptyShards::Kept}});
  for (const auto name : {"aten.linalg__powsum", "aten._foreach_powsum.*"}) {
    rules.push_back({name,
                     {.singleDimStrategies = powerSum,
                      .emptyShards = Rule::EmptyShards::Kept,
                      .outputs = powerSumOutputs}});
  }
  return rules;
}

}  // namespace shardlens
