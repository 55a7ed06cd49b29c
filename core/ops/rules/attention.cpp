#include "core/ops/rules/rules.h"

#include <algorithm>

namespace shardlens {
namespace {

// A mask is stretched over the batch, the heads, or both.
Placement maskPlacement(const TensorMeta& mask, int dim) {
  const bool stretched = mask.ndim() < 4 || mask.shape[static_cast<std::size_t>(dim)] == 1;
  return stretched ? Placement(Replicate{}) : Shard{dim};
}

// Whether each rank has whole groups of the heads that share keys, where some do.
bool cutsBetweenGroups(const OpSchema& call, std::size_t tensors) {
  std::int64_t least = call.input(0).shape[1], most = least;
  for (std::size_t i = 1; i < tensors; ++i) {
    least = std::min(least, call.input(i).shape[1]);
    most = std::max(most, call.input(i).shape[1]);
  }
  return least == most || least % call.mesh->size() == 0;
}

// Sequences of the batch attend apart, and so do heads, each with keys of its own or in groups that
// share them:
// y[b, h, q] = sum over k of softmax(x[b, h, q] . keys[b, h] + mask[b, h, q])[k] values[b, h, k]
std::vector<SingleDimStrategy> attention(const OpSchema& call) {
  const bool masked = std::holds_alternative<TensorIndex>(call.arg("attn_mask"));
  const auto tensors = call.inputs.size() - (masked ? 1 : 0);
  std::vector<SingleDimStrategy> strategies;
  for (const int dim : {1, 0}) {
    if (dim == 1 && !cutsBetweenGroups(call, tensors)) continue;
    SingleDimStrategy strategy{dim == 1 ? "heads" : "batch",
                               Placements(call.outputs.size(), Shard{dim}),
                               Placements(tensors, Shard{dim})};
    if (masked) strategy.inputs.push_back(maskPlacement(call.inputs.back().meta, dim));
    strategies.push_back(std::move(strategy));
  }
  return strategies;
}

// libtorch's kernel keeps the heads of a position together.
Shape headsTogether(const Shape& shape) {
  const auto heads = shape[1], length = shape[2];
  const auto width = shape.size() == 4 ? shape[3] : 1;
  Shape strides{heads * length * width, width, heads * width};
  if (shape.size() == 4) strides.push_back(1);
  return strides;
}

TensorMeta laidOut(Shape shape, DType dtype) {
  auto strides = headsTogether(shape);
  return {std::move(shape), std::move(strides), dtype};
}

std::vector<TensorMeta> attentionOutputs(const OpSchema& call) {
  const auto& query = call.input(0);
  const auto& shape = query.shape;
  const DType sums = query.dtype == DType::Float64 ? DType::Float64 : DType::Float32;
  return {laidOut(shape, query.dtype), laidOut({shape[0], shape[1], shape[2]}, sums)};
}

std::vector<TensorMeta> attentionBackwardOutputs(const OpSchema& call) {
  std::vector<TensorMeta> gradients;
  for (const std::size_t input : {1, 2, 3}) {
    gradients.push_back(laidOut(call.input(input).shape, call.input(input).dtype));
  }
  return gradients;
}

}  // namespace

std::vector<NamedRule> attentionRules() {
  constexpr auto kNever = Rule::EmptyShards::Never;
  return {{"aten._scaled_dot_product_flash_attention_for_cpu",
           {.singleDimStrategies = attention, .emptyShards = kNever, .outputs = attentionOutputs}},
          {"aten._scaled_dot_product_flash_attention_for_cpu_backward",
           {.singleDimStrategies = attention,
            .emptyShards = kNever,
            .outputs = attentionBackwardOutputs}}};
}

}  // namespace shardlens
