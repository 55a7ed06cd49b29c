#include "core/ops/rules/rules.h"

#include <algorithm>

// y[n, c, p] = (x[n, c, p] - mean[c]) rstd[c] w[c] + b[c], with the statistics of the batch or
// running ones. If images are sharded, the kernel combines the statistics over the ranks. If
// channels are sharded, each rank has those of its channels.

namespace shardlens {
namespace {

constexpr int kChannels = 1;  // of x

// Returns true if the statistics are those of the batch. One of the operators has no other mode.
bool trains(const OpSchema& call) {
  for (const auto name : {"training", "train", "update"}) {
    if (const auto* given = call.findArg(name)) return std::get<bool>(*given);
  }
  return true;
}

// Returns the placement of a tensor with a value per channel. With running statistics, the saved
// ones are empty and replicated.
Placement ofChannels(const TensorMeta& meta, const Placement& channels) {
  return meta.shape == Shape{0} ? Placement(Replicate{}) : channels;
}

// Placements on one mesh dimension: of the images, and of all tensors with a value per channel.
struct BatchNormSharding {
  const char* name;
  Placement images;
  Placement channels;
};

BatchNormSharding shardingOf(const Placement& images) {
  const auto dim = shardedDim(images);
  if (!dim) return {"replicate", Replicate{}, Replicate{}};
  if (*dim == kChannels) return {"channels", images, alongDim(images, 0)};
  return {"batch", images, Replicate{}};
}

// Returns the placements that leave the running statistics in place and move the images to match,
// or nullopt for partial statistics.
std::optional<BatchNormSharding> shardingFor(const Placement& running, const Placement& images) {
  const BatchNormSharding sharding = shardingOf(images);
  if (sharding.channels == running) return sharding;
  if (isReplicate(running)) return shardingOf(Replicate{});
  if (shardedDim(running)) return shardingOf(alongDim(running, kChannels));
  return std::nullopt;
}

std::vector<OpStrategy> batchNorm(const OpSchema& call) {
  const auto mean = givenInput(call, "running_mean"), variance = givenInput(call, "running_var");
  const bool updates = trains(call) && mean && variance;
  OpStrategy strategy{"", std::vector<Placements>(call.outputs.size()),
                      std::vector<Placements>(call.inputs.size())};
  for (std::size_t dim = 0; dim < call.inputs[0].placements.size(); ++dim) {
    const auto lying = [&](std::size_t input) { return call.inputs[input].placements[dim]; };
    if (updates && lying(*mean) != lying(*variance)) return {};
    const auto sharding = updates ? shardingFor(lying(*mean), lying(0)) : shardingOf(lying(0));
    if (!sharding) return {};
    strategy.name += (strategy.name.empty() ? "" : " x ") + std::string(sharding->name);
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
      strategy.inputs[i].push_back(i == 0 ? sharding->images : sharding->channels);
    }
    for (std::size_t i = 0; i < call.outputs.size(); ++i) {
      strategy.outputs[i].push_back(i == 0 ? sharding->images
                                           : ofChannels(call.outputs[i], sharding->channels));
    }
  }
  return {std::move(strategy)};
}

// float16 input with a float32 weight has float32 statistics.
DType statisticsType(const OpSchema& call) {
  for (const auto name : {"weight", "bias", "running_mean", "running_var"}) {
    if (const auto input = givenInput(call, name)) return call.input(*input).dtype;
  }
  return call.input(0).dtype;
}

std::vector<TensorMeta> batchNormOutputs(const OpSchema& call) {
  const auto& x = call.input(0);
  const auto statistics = inOrder({trains(call) ? x.shape[kChannels] : 0}, statisticsType(call));
  return {inOrder(x.shape, x.dtype), statistics, statistics};
}

std::vector<TensorMeta> batchNormWithReserveOutputs(const OpSchema& call) {
  auto outputs = batchNormOutputs(call);
  outputs.push_back(inOrder({0}, DType::UInt8));
  return outputs;
}

// Inputs dy, x and tensors with a value per channel. The gradients of weight and bias sum over the
// images. dx uses these sums too if the statistics are those of the batch; the kernel then combines
// them over the ranks, and they are replicated.
std::vector<SingleDimStrategy> batchNormBackward(const OpSchema& call) {
  const auto sums = trains(call) ? Placement(Replicate{}) : Placement(Partial{});
  std::vector<SingleDimStrategy> strategies;
  for (int dim = 0; dim < call.input(1).ndim(); ++dim) {
    for (const auto& shard : shardsOf(call, dim)) {
      const bool shardsChannels = dim == kChannels;
      const auto channels = shardsChannels ? alongDim(shard, 0) : Placement(Replicate{});
      const auto parameters = shardsChannels ? channels : sums;
      SingleDimStrategy strategy{shardsChannels ? "channels" : "batch",
                                 requestedGradients(call, {shard, parameters, parameters}),
                                 {shard, shard}};
      for (std::size_t i = 2; i < call.inputs.size(); ++i) {
        strategy.inputs.push_back(ofChannels(call.input(i), channels));
      }
      strategies.push_back(std::move(strategy));
    }
  }
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg}) {
    strategies.push_back(partialsOfFirst(call, op));
  }
  return strategies;
}

std::vector<TensorMeta> batchNormBackwardOutputs(const OpSchema& call) {
  const auto& x = call.input(1);
  const auto weight = givenInput(call, "weight");
  const auto parameter =
      inOrder({x.shape[kChannels]}, weight ? call.input(*weight).dtype : x.dtype);
  return {inOrder(x.shape, x.dtype), parameter, parameter};
}

}  // namespace

std::vector<NamedRule> batchNormRules() {
  constexpr auto kSkipped = Rule::EmptyShards::Skipped;
  const Rule forward{
      .fullMeshStrategies = batchNorm, .emptyShards = kSkipped, .outputs = batchNormOutputs};
  const Rule backward{.singleDimStrategies = batchNormBackward,
                      .emptyShards = kSkipped,
                      .outputs = batchNormBackwardOutputs};
  Rule withReserve = forward;
  withReserve.outputs = batchNormWithReserveOutputs;
  return {{"aten._batch_norm_with_update", withReserve},
          {"aten._native_batch_norm_legit", forward},
          {"aten._native_batch_norm_legit.no_stats", forward},
          {"aten.batch_norm_backward", backward},
          {"aten.native_batch_norm", forward},
          {"aten.native_batch_norm_backward", backward}};
}

}  // namespace shardlens
