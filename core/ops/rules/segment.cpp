#include "core/ops/rules/rules.h"

namespace shardlens {
namespace {

// y[i, s, f] = op over the rows r of segment s of x[i, r, f]. Shards the dimensions after the rows,
// alike in data and outputs. The lengths of the segments are replicated.
std::vector<SingleDimStrategy> ofSegments(const OpSchema& call, std::size_t alike) {
  std::vector<SingleDimStrategy> strategies;
  for (int dim = dimArg(call, "axis", call.input(0).ndim()) + 1; dim < call.input(0).ndim();
       ++dim) {
    for (const auto& shard : shardsOf(call, dim)) {
      SingleDimStrategy strategy{"sharded", {shard}, Placements(call.inputs.size(), Replicate{})};
      std::fill_n(strategy.inputs.begin(), alike, shard);
      strategies.push_back(std::move(strategy));
    }
  }
  return strategies;
}

std::vector<SingleDimStrategy> reduced(const OpSchema& call) { return ofSegments(call, 1); }

// The inputs are grad, output, data, ...
std::vector<SingleDimStrategy> segmentGradient(const OpSchema& call) { return ofSegments(call, 3); }

std::vector<TensorMeta> reducedOutputs(const OpSchema& call) {
  const auto& data = call.input(0);
  const auto axis = static_cast<std::size_t>(dimArg(call, "axis", data.ndim()));
  auto shape = data.shape;
  const auto sizeOf = [&](std::size_t input) {
    const auto& given = call.input(input).shape;
    return axis < given.size() ? given[axis] : 0;
  };
  if (axis >= shape.size()) return {inOrder(shape, data.dtype)};
  if (const auto lengths = givenInput(call, "lengths")) {
    shape[axis] = sizeOf(*lengths);
  } else if (const auto offsets = givenInput(call, "offsets")) {
    shape[axis] = std::max<std::int64_t>(sizeOf(*offsets) - 1, 0);
  }
  return {inOrder(shape, data.dtype)};
}

std::vector<TensorMeta> likeData(const OpSchema& call) {
  return {inOrder(call.input(2).shape, call.input(2).dtype)};
}

}  // namespace

std::vector<NamedRule> segmentRules() {
  return {{"aten.segment_reduce", {.singleDimStrategies = reduced, .outputs = reducedOutputs}},
          {"aten._segment_reduce_backward",
           {.singleDimStrategies = segmentGradient, .outputs = likeData}}};
}

}  // namespace shardlens
