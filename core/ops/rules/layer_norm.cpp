#include "core/ops/rules/rules.h"

#include <algorithm>

namespace shardlens {
namespace {

// Shards the dimensions before the normalized ones, alike in the first `sharded` inputs. Weight and
// bias are replicated.
std::vector<SingleDimStrategy> apart(const OpSchema& call, const TensorMeta& x,
                                     std::size_t sharded) {
  const int outer = x.ndim() - static_cast<int>(call.intList("normalized_shape").size());
  std::vector<SingleDimStrategy> strategies;
  for (int dim = 0; dim < outer; ++dim) {
    for (const auto& shard : shardsOf(call, dim)) {
      SingleDimStrategy strategy{"sharded", Placements(call.outputs.size(), shard),
                                 Placements(sharded, shard)};
      strategy.inputs.resize(call.inputs.size(), Replicate{});
      strategies.push_back(std::move(strategy));
    }
  }
  return strategies;
}

// y[i, k] = (x[i, k] - mean[i]) rstd[i] w[k] + b[k]
std::vector<SingleDimStrategy> layerNorm(const OpSchema& call) {
  return apart(call, call.input(0), 1);
}

std::vector<TensorMeta> layerNormOutputs(const OpSchema& call) {
  const auto& x = call.input(0);
  auto rows = x.shape;
  const auto normalized = call.intList("normalized_shape").size();
  std::fill(rows.end() - static_cast<std::ptrdiff_t>(normalized), rows.end(), 1);
  // float16 input with a float32 weight has float32 statistics.
  const TensorMeta statistics = inOrder(rows, call.inputs.back().meta.dtype);
  return {inOrder(x.shape, x.dtype), statistics, statistics};
}

// dw[k] = sum over i of dy[i, k] (x[i, k] - mean[i]) rstd[i]; db[k] = sum over i of dy[i, k]
std::vector<SingleDimStrategy> layerNormBackward(const OpSchema& call) {
  const auto requested = call.intList("output_mask");
  auto strategies = apart(call, call.input(1), 4);
  for (auto& strategy : strategies) {
    for (std::size_t i = requested[0] != 0 ? 1 : 0; i < strategy.outputs.size(); ++i) {
      strategy.outputs[i] = Partial{};
    }
  }
  return strategies;
}

std::vector<TensorMeta> layerNormBackwardOutputs(const OpSchema& call) {
  const auto& x = call.input(1);
  const auto shape = call.intList("normalized_shape");
  const TensorMeta parameter = inOrder(shape, call.inputs.back().meta.dtype);
  return {inOrder(x.shape, x.dtype), parameter, parameter};
}

}  // namespace

std::vector<NamedRule> layerNormRules() {
  return {{"aten.native_layer_norm",
           {.singleDimStrategies = layerNorm,
            .emptyShards = Rule::EmptyShards::Kept,
            .outputs = layerNormOutputs}},
          {"aten.native_layer_norm_backward",
           {.singleDimStrategies = layerNormBackward,
            .emptyShards = Rule::EmptyShards::Kept,
            .outputs = layerNormBackwardOutputs}}};
}

}  // namespace shardlens
