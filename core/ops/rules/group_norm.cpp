#include "core/ops/rules/rules.h"

namespace shardlens {
namespace {

// The groups of channels of each image are normalized separately, so images or whole groups may be
// sharded. Tensors with a value per channel are sharded with the groups.
std::vector<std::pair<Placement, Placement>> shardsOfImages(const OpSchema& call) {
  std::vector<std::pair<Placement, Placement>> shards;  // of images, and of channels
  for (const auto& shard : shardsOf(call, 0)) shards.emplace_back(shard, Replicate{});
  const auto groups = std::get<std::int64_t>(call.arg("group"));
  const auto channels = shardsOf(call, 0);
  const bool isSharded = !channels.empty() && isShard(channels.front());
  if (isSharded && groups % call.mesh->size() == 0) shards.emplace_back(Shard{1}, Shard{0});
  return shards;
}

const char* nameOf(const Placement& images) { return shardedDim(images) == 1 ? "groups" : "batch"; }

// y[n, c, p] = (x[n, c, p] - mean[n, g]) rstd[n, g] w[c] + b[c], c in the group g
std::vector<SingleDimStrategy> groupNorm(const OpSchema& call) {
  std::vector<SingleDimStrategy> strategies;
  for (const auto& [images, channels] : shardsOfImages(call)) {
    SingleDimStrategy strategy{nameOf(images), Placements(3, images), {images}};
    strategy.inputs.resize(call.inputs.size(), channels);
    strategies.push_back(std::move(strategy));
  }
  return strategies;
}

std::vector<TensorMeta> groupNormOutputs(const OpSchema& call) {
  const auto& x = call.input(0);
  // float16 input with a float32 weight has float32 statistics.
  const auto statistics = inOrder({x.shape[0], std::get<std::int64_t>(call.arg("group"))},
                                  call.inputs.back().meta.dtype);
  return {inOrder(x.shape, x.dtype), statistics, statistics};
}

// Inputs dy, x, mean, rstd and the weight. dw[c] and db[c] sum over the images.
std::vector<SingleDimStrategy> groupNormBackward(const OpSchema& call) {
  std::vector<SingleDimStrategy> strategies;
  for (const auto& [images, channels] : shardsOfImages(call)) {
    const auto parameters = isReplicate(channels) ? Placement(Partial{}) : channels;
    SingleDimStrategy strategy{nameOf(images),
                               requestedGradients(call, {images, parameters, parameters}),
                               Placements(4, images)};
    strategy.inputs.resize(call.inputs.size(), channels);
    strategies.push_back(std::move(strategy));
  }
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg}) {
    strategies.push_back(partialsOfFirst(call, op));
  }
  return strategies;
}

std::vector<TensorMeta> groupNormBackwardOutputs(const OpSchema& call) {
  const auto& x = call.input(1);
  const bool weighted = call.inputs.size() == 5;
  const auto parameter = inOrder({x.shape[1]}, weighted ? call.inputs.back().meta.dtype : x.dtype);
  return {inOrder(x.shape, x.dtype), parameter, parameter};
}

}  // namespace

std::vector<NamedRule> groupNormRules() {
  constexpr auto kSkipped = Rule::EmptyShards::Skipped;
  return {
      {"aten.native_group_norm",
       {.singleDimStrategies = groupNorm, .emptyShards = kSkipped, .outputs = groupNormOutputs}},
      {"aten.native_group_norm_backward",
       {.singleDimStrategies = groupNormBackward,
        .emptyShards = kSkipped,
        .outputs = groupNormBackwardOutputs}}};
}

}  // namespace shardlens
