#include "core/ops/rules/rules.h"

namespace shardlens {
namespace {

constexpr int kBatchDim = 0, kHeadDim = 1,
              kLengthDim = 2;  // dimensions of queries, keys and values

// Tensors with the query's leading dimensions: [batch, heads, ...]. The remaining tensor arguments
// are "attn_bias", and the seeds of random numbers.
bool hasHeads(const std::string& arg) {
  return arg == "query" || arg == "key" || arg == "value" || arg == "out" || arg == "logsumexp" ||
         arg == "grad_out" || arg == "grad_out_";
}

Shape scoresOf(const OpSchema& call, std::size_t query) {
  const auto &q = call.input(query).shape, &k = call.input(query + 1).shape;
  return {q[kBatchDim], q[kHeadDim], q[kLengthDim], k[kLengthDim]};
}

// Members of the batch and heads attend separately, forward and backward. Sequences are not
// sharded: the kernels count queries and keys from the first ones that they get.
std::vector<SingleDimStrategy> separately(const OpSchema& call) {
  const auto query = *givenInput(call, "query");
  std::vector<SingleDimStrategy> strategies;
  for (const int dim : {kHeadDim, kBatchDim}) {
    if (dim == kHeadDim && !shardsWholeGroups(call, query)) continue;
    const Placement shard = Shard{dim};
    SingleDimStrategy strategy{
        dim == kHeadDim ? "heads" : "batch", Placements(call.outputs.size(), shard), {}};
    for (const auto& [name, value] : call.args) {
      const auto* tensor = std::get_if<TensorIndex>(&value);
      if (tensor == nullptr) continue;
      const auto& shape = call.input(tensor->index).shape;
      strategy.inputs.push_back(hasHeads(name) ? shard
                                : name == "attn_bias"
                                    ? alongside(shape, scoresOf(call, query), dim, shard)
                                    : Placement(Replicate{}));
    }
    strategies.push_back(std::move(strategy));
  }
  return strategies;
}

TensorMeta orderedLike(const TensorMeta& like, Shape shape) {
  auto strides = stridesInOrder(shape, like.strides);
  return {std::move(shape), std::move(strides), like.dtype};
}

// The result has the query's shape and the value's width.
Shape resultShape(const OpSchema& call) {
  Shape shape = call.input(0).shape;
  shape.back() = call.input(2).shape.back();
  return shape;
}

TensorMeta sumsOf(const OpSchema& call, Shape rest) {
  Shape shape{call.input(0).shape[kBatchDim], call.input(0).shape[kHeadDim]};
  shape.insert(shape.end(), rest.begin(), rest.end());
  return inOrder(shape, DType::Float32);
}

bool computesSums(const OpSchema& call) { return std::get<bool>(call.arg("compute_log_sumexp")); }

// query, key, value, ... -> y, s. Outputs after these are numbers, or undefined: the seeds, because
// nothing is random without dropout.
std::vector<TensorMeta> flashOutputs(const OpSchema& call) {
  return {orderedLike(call.input(0), resultShape(call)),
          sumsOf(call, {call.input(0).shape[kLengthDim]})};
}

std::vector<TensorMeta> cudnnOutputs(const OpSchema& call) {
  std::vector<TensorMeta> outputs{orderedLike(call.input(0), resultShape(call))};
  if (computesSums(call)) outputs.push_back(sumsOf(call, {call.input(0).shape[kLengthDim], 1}));
  return outputs;
}

std::vector<TensorMeta> efficientOutputs(const OpSchema& call) {
  constexpr std::int64_t kAlignment = 32;  // of the sums, with padding
  const auto queries = call.input(0).shape[kLengthDim];
  const auto padded = (queries + kAlignment - 1) / kAlignment * kAlignment;
  const auto shape = resultShape(call);
  return {{shape, headsTogether(shape), call.input(0).dtype},
          sumsOf(call, {computesSums(call) ? padded : 0})};
}

// dy, query, key, value, ... -> gradients of the last three
std::vector<TensorMeta> gradientsLikeInputs(const OpSchema& call) {
  std::vector<TensorMeta> gradients;
  for (const std::size_t input : {1, 2, 3}) {
    gradients.push_back(orderedLike(call.input(input), call.input(input).shape));
  }
  return gradients;
}

std::vector<TensorMeta> efficientGradients(const OpSchema& call) {
  std::vector<TensorMeta> gradients;
  for (const std::size_t input : {1, 2, 3}) {
    const auto& [shape, strides, dtype] = call.input(input);
    gradients.push_back({shape, headsTogether(shape), dtype});
  }
  const auto bias = givenInput(call, "attn_bias");
  if (bias && call.intList("grad_input_mask").back() != 0) {
    gradients.push_back(inOrder(call.input(*bias).shape, call.input(*bias).dtype));
  }
  return gradients;
}

NamedRule fusedRule(std::string name, std::vector<TensorMeta> (*outputs)(const OpSchema&)) {
  return {std::move(name),
          {.singleDimStrategies = separately,
           .emptyShards = Rule::EmptyShards::Never,
           .outputs = outputs}};
}

}  // namespace

std::vector<NamedRule> fusedAttentionRules() {
  return {fusedRule("aten._scaled_dot_product_flash_attention", flashOutputs),
          fusedRule("aten._scaled_dot_product_flash_attention_backward", gradientsLikeInputs),
          fusedRule("aten._scaled_dot_product_cudnn_attention", cudnnOutputs),
          fusedRule("aten._scaled_dot_product_cudnn_attention_backward", gradientsLikeInputs),
          fusedRule("aten._scaled_dot_product_efficient_attention", efficientOutputs),
          fusedRule("aten._scaled_dot_product_efficient_attention_backward", efficientGradients)};
}

}  // namespace shardlens
