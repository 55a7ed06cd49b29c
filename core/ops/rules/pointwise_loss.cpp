// Losses computed per element or per row. The sums of ranks are partial sums of the total. Their
// means are partial averages, weighted by the number of elements of each.

#include "core/ops/rules/loss_reduction.h"
#include "core/ops/rules/rules.h"

#include <optional>

namespace shardlens {
namespace {

// Returns the placement of the reduced loss if each rank reduces its part.
Placement reducedLoss(const OpSchema& call) {
  return Partial{lossReduction(call) == LossReduction::Sum ? ReduceOp::Sum : ReduceOp::Avg};
}

// out[i] = f(x[i], target[i], ...), or their sum or mean
std::vector<SingleDimStrategy> ofElements(const OpSchema& call) {
  auto strategies = shardAlike(call, broadcastShape(call));
  if (lossReduction(call) == LossReduction::None) return strategies;
  for (auto& strategy : strategies) strategy.outputs = {reducedLoss(call)};
  return strategies;
}

// Shards the rows of [N, C] alike in all inputs that have them. A class weight, and the gradient of
// a reduced loss, have none and are replicated.
std::vector<SingleDimStrategy> shardRows(const OpSchema& call, const TensorMeta& x,
                                         std::optional<std::size_t> gradient) {
  std::vector<SingleDimStrategy> strategies;
  if (x.ndim() < 2) return strategies;
  for (const auto& shard : shardsOf(call, 0)) {
    SingleDimStrategy strategy{"rows", Placements(call.outputs.size(), shard), {}};
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
      const bool isWhole = i == givenInput(call, "weight") || i == gradient;
      strategy.inputs.push_back(isWhole ? Placement(Replicate{}) : shard);
      if (isWhole) continue;
      const auto& shape = call.input(i).shape;
      if (shape.empty() || shape[0] != x.shape[0]) return {};
    }
    strategies.push_back(std::move(strategy));
  }
  return strategies;
}

// out[i] = sum over k of f(x[i, k], x[i, target[i]]). A second output has the targets' shape.
std::vector<SingleDimStrategy> ofRows(const OpSchema& call) {
  auto strategies = shardRows(call, call.input(0), std::nullopt);
  if (lossReduction(call) == LossReduction::None) return strategies;
  for (auto& strategy : strategies) strategy.outputs.front() = reducedLoss(call);
  return strategies;
}

// The inputs are grad_output, self, target, ...
std::vector<SingleDimStrategy> ofRowsBackward(const OpSchema& call) {
  const bool isNone = lossReduction(call) == LossReduction::None;
  return shardRows(call, call.input(1), isNone ? std::nullopt : std::optional<std::size_t>(0));
}

TensorMeta lossOf(const OpSchema& call, const Shape& unreduced) {
  const bool isNone = lossReduction(call) == LossReduction::None;
  return inOrder(isNone ? unreduced : Shape(), call.input(0).dtype);
}

std::vector<TensorMeta> elementLosses(const OpSchema& call) {
  return {lossOf(call, broadcastShape(call))};
}

std::vector<TensorMeta> rowLosses(const OpSchema& call) {
  const auto& shape = call.input(0).shape;
  return {lossOf(call, shape.size() < 2 ? Shape() : Shape{shape[0]})};
}

std::vector<TensorMeta> rowLossesAndTargets(const OpSchema& call) {
  return {rowLosses(call).front(), inOrder(call.input(1).shape, call.input(0).dtype)};
}

}  // namespace

std::vector<NamedRule> pointwiseLossRules() {
  constexpr auto kKept = Rule::EmptyShards::Kept;
  std::vector<NamedRule> rules;
  for (const auto name : {"aten.mse_loss", "aten.smooth_l1_loss", "aten.soft_margin_loss"}) {
    rules.push_back({name, {.singleDimStrategies = ofElements, .emptyShards = kKept}});
  }
  for (const auto name :
       {"aten.binary_cross_entropy", "aten.binary_cross_entropy_with_logits", "aten.huber_loss"}) {
    rules.push_back(
        {name,
         {.singleDimStrategies = ofElements, .emptyShards = kKept, .outputs = elementLosses}});
  }
  rules.push_back({"aten.multi_margin_loss",
                   {.singleDimStrategies = ofRows, .emptyShards = kKept, .outputs = rowLosses}});
  rules.push_back(
      {"aten.multilabel_margin_loss_forward",
       {.singleDimStrategies = ofRows, .emptyShards = kKept, .outputs = rowLossesAndTargets}});
  for (const auto name :
       {"aten.multi_margin_loss_backward", "aten.multilabel_margin_loss_backward"}) {
    rules.push_back(
        {name,
         {.singleDimStrategies = ofRowsBackward, .emptyShards = kKept, .outputs = likeSecond}});
  }
  return rules;
}

}  // namespace shardlens
