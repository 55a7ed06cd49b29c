// Operators whose output size depends on values, or that read as many elements as the values of
// another tensor select. A rank cannot derive this from its part, so that data is replicated.

#include "core/ops/rules/rules.h"

namespace shardlens {
namespace {

// Returns `size` rows with an index for each dimension.
std::vector<TensorMeta> staticIndices(const OpSchema& call) {
  const Shape shape{std::get<std::int64_t>(call.arg("size")), call.input(0).ndim()};
  return {inOrder(shape, DType::Int64)};
}

}  // namespace

std::vector<NamedRule> dataSizeRules() {
  std::vector<NamedRule> rules;
  for (const auto name :
       {"aten._ctc_loss", "aten._ctc_loss.Tensor", "aten._unique", "aten._unique2", "aten.bincount",
        "aten.linalg_lstsq", "aten.masked_select", "aten.nonzero", "aten.repeat_interleave.Tensor",
        "aten.unique_consecutive", "aten.unique_dim", "aten.unique_dim_consecutive"}) {
    rules.push_back({name, {.singleDimStrategies = onlyWhole}});
  }
  for (const auto name : {"aten._ctc_loss_backward", "aten._ctc_loss_backward.Tensor"}) {
    rules.push_back({name, {.singleDimStrategies = onlyWhole, .outputs = likeSecond}});
  }
  rules.push_back(
      {"aten.masked_scatter",
       {.singleDimStrategies = writtenOnParts, .emptyShards = Rule::EmptyShards::Kept}});
  rules.push_back(
      {"aten.masked_scatter_backward", {.singleDimStrategies = onlyWhole, .outputs = ofSizesArg}});
  rules.push_back(
      {"aten.nonzero_static", {.singleDimStrategies = onlyWhole, .outputs = staticIndices}});
  return rules;
}

}  // namespace shardlens
