#include "core/ops/rules/rules.h"

namespace shardlens {
namespace {

// y[i..., :] = weight[ids[i...], :]
std::vector<SingleDimStrategy> embedding(const OpSchema& call) {
  const auto& weight = call.input(0);
  const auto& ids = call.input(1);
  const MaskPartial masked{ReduceOp::Sum, weight.shape, 0};
  std::vector<SingleDimStrategy> strategies;
  strategies.push_back({"column-wise", {Shard{ids.ndim()}}, {Shard{1}, Replicate{}}});
  strategies.push_back({"row-wise", {masked}, {Shard{0}, masked}});
  for (int dim = 0; dim < ids.ndim(); ++dim) {
    strategies.push_back({"batch", {Shard{dim}}, {Replicate{}, Shard{dim}}});
  }
  return strategies;
}

std::vector<TensorMeta> embeddingOutputs(const OpSchema& call) {
  const auto& weight = call.input(0);
  Shape shape = call.input(1).shape;
  shape.push_back(weight.shape.back());
  return {inOrder(shape, weight.dtype)};
}

// dweight[ids[i...], :] += dy[i..., :]
std::vector<SingleDimStrategy> embeddingDenseBackward(const OpSchema& call) {
  const auto& gradient = call.input(0);
  const auto& ids = call.input(1);
  const Shape table{std::get<std::int64_t>(call.arg("num_weights")), gradient.shape.back()};
  std::vector<SingleDimStrategy> strategies;
  strategies.push_back({"column-wise", {Shard{1}}, {Shard{gradient.ndim() - 1}, Replicate{}}});
  // Applies if the caller masked the ids; the call itself does not have the table's placement.
  strategies.push_back(
      {"row-wise", {Shard{0}}, {Replicate{}, MaskPartial{ReduceOp::Sum, table, 0}}});
  // Each rank would count only its local ids.
  const bool byFrequency = std::get<bool>(call.arg("scale_grad_by_freq"));
  for (int dim = 0; dim < ids.ndim() && !byFrequency; ++dim) {
    strategies.push_back({"batch", {Partial{}}, {Shard{dim}, Shard{dim}}});
  }
  strategies.push_back({"partial", {Partial{}}, {Partial{}, Replicate{}}});
  return strategies;
}

std::vector<TensorMeta> embeddingDenseBackwardOutputs(const OpSchema& call) {
  const auto& gradient = call.input(0);
  const Shape shape{std::get<std::int64_t>(call.arg("num_weights")), gradient.shape.back()};
  return {inOrder(shape, gradient.dtype)};
}

// weight[i, :] *= max_norm / |weight[i, :]| for each i among the ids with a larger norm. Each rank
// scales its rows. If columns are sharded, the kernel combines the norms over the ranks.
std::vector<SingleDimStrategy> embeddingRenorm(const OpSchema& call) {
  std::vector<SingleDimStrategy> strategies;
  for (const int dim : {0, 1}) {
    for (const auto& shard : shardsOf(call, dim)) {
      strategies.push_back({dim == 0 ? "row-wise" : "column-wise", {shard}, {shard, Replicate{}}});
    }
  }
  return strategies;
}

}  // namespace

std::vector<NamedRule> embeddingRules() {
  return {
      {"aten.embedding", {.singleDimStrategies = embedding, .outputs = embeddingOutputs}},
      {"aten.embedding_renorm",
       {.singleDimStrategies = embeddingRenorm,
        .emptyShards = Rule::EmptyShards::Kept,
        .outputs = likeFirst}},
      {"aten.embedding_dense_backward",
       {.singleDimStrategies = embeddingDenseBackward, .outputs = embeddingDenseBackwardOutputs}}};
}

}  // namespace shardlens
