#include "core/ops/rules/reduced_dims.h"
#include "core/ops/rules/rules.h"

namespace shardlens {
namespace {

// Each result needs the whole dimension that the call runs along, and is independent across the
// others: y[k, :] = f(x[k, :])
std::vector<SingleDimStrategy> along(const OpSchema& call) {
  auto active = reducedDims(call);
  active.kept = true;
  return reductionRows(call, active, std::nullopt);
}

// y[k, i] = sum over j <= i of x[k, j]: linear in x.
std::vector<SingleDimStrategy> cumulativeSum(const OpSchema& call) {
  auto strategies = along(call);
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg}) {
    if (acceptsPartials(call, op)) strategies.push_back({"partial", {Partial{op}}, {Partial{op}}});
  }
  return strategies;
}

// dx[k, index[k]] += dy[k]: returns the gradient of a selection along a dimension. Linear in dy. If
// x is an input, only its shape is used.
std::vector<SingleDimStrategy> selectedBackward(const OpSchema& call) {
  const auto& whole = call.outputs.front();
  auto selected = reducedDims(call, whole.ndim());
  if (call.findArg("keepdim") == nullptr) selected.kept = true;
  std::vector<SingleDimStrategy> strategies;
  for (int dim = 0; dim < whole.ndim(); ++dim) {
    if (selected.has(dim)) continue;
    const auto outputs = shardsOf(call, dim);
    const auto inputs = shardsOf(call, selected.after(dim));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      strategies.push_back({"sharded", {outputs[i]}, Placements(call.inputs.size(), inputs[i])});
    }
  }
  SingleDimStrategy partial{"partial", {Partial{}}, Placements(call.inputs.size(), Replicate{})};
  partial.inputs.front() = Partial{};
  strategies.push_back(std::move(partial));
  return strategies;
}

TensorMeta likeInput(const OpSchema& call, DType dtype) {
  const auto& shape = call.input(0).shape;
  return inOrder(shape, dtype);
}

std::vector<TensorMeta> same(const OpSchema& call) {
  return {likeInput(call, namedDType(call).value_or(call.input(0).dtype))};
}

std::vector<TensorMeta> ofSecondShape(const OpSchema& call) {
  const auto& shape = call.input(1).shape;
  return {inOrder(shape, call.input(0).dtype)};
}

std::vector<TensorMeta> scannedAndIndices(const OpSchema& call) {
  return {likeInput(call, call.input(0).dtype), likeInput(call, DType::Int64)};
}

}  // namespace

std::vector<NamedRule> scanRules() {
  constexpr auto kKept = Rule::EmptyShards::Kept;
  std::vector<NamedRule> rules;
  for (const auto name : {"aten._softmax", "aten._log_softmax", "aten._softmax_backward_data",
                          "aten._log_softmax_backward_data", "aten.cumprod", "aten.glu",
                          "aten.sort.*", "aten.topk"}) {
    rules.push_back({name, {.singleDimStrategies = along, .emptyShards = kKept}});
  }
  rules.push_back({"aten.glu_backward",
                   {.singleDimStrategies = along, .emptyShards = kKept, .outputs = ofSecondShape}});
  for (const auto name : {"aten.cummax", "aten.cummin"}) {
    rules.push_back(
        {name, {.singleDimStrategies = along, .emptyShards = kKept, .outputs = scannedAndIndices}});
  }
  rules.push_back({"aten._safe_softmax",
                   {.singleDimStrategies = along, .emptyShards = kKept, .outputs = same}});
  rules.push_back(
      {"aten.logcumsumexp", {.singleDimStrategies = along, .emptyShards = kKept, .outputs = same}});
  rules.push_back({"aten.cumsum", {.singleDimStrategies = cumulativeSum, .emptyShards = kKept}});
  rules.push_back({"aten.cummaxmin_backward",
                   {.singleDimStrategies = selectedBackward,
                    .emptyShards = kKept,
                    .uncomposed = true,
                    .outputs = ofSecondShape}});
  rules.push_back({"aten.value_selecting_reduction_backward",
                   {.singleDimStrategies = selectedBackward,
                    .emptyShards = kKept,
                    .sizeArg = "sizes",
                    .uncomposed = true,
                    .outputs = ofSizesArg}});
  return rules;
}

}  // namespace shardlens
