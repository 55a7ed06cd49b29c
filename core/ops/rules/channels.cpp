#include "core/ops/rules/rules.h"

// Operators that regroup elements: some channels become places, or the reverse.

namespace shardlens {
namespace {

// Dimensions of the input and the output that are sharded alike. If they consist of `units` units,
// a unit is not split.
struct Alike {
  int input;
  int output;
  std::int64_t units = 0;
};

// Returns true if each rank gets whole units, and all ranks equally many.
bool shardsEvenly(std::int64_t units, const Placement& shard, const DeviceMesh& mesh) {
  return !isStridedShard(shard) && units % mesh.size() == 0;
}

std::vector<SingleDimStrategy> regrouped(const OpSchema& call, const std::vector<Alike>& dims,
                                         std::initializer_list<ReduceOp> partials) {
  std::vector<SingleDimStrategy> strategies;
  for (const auto& [input, output, units] : dims) {
    for (const auto& shard : shardsOf(call, input)) {
      if (units != 0 && !shardsEvenly(units, shard, *call.mesh)) continue;
      strategies.push_back({"sharded", {alongDim(shard, output)}, {shard}});
    }
  }
  for (const auto op : partials) {
    if (op == ReduceOp::Avg && isWhole(call.outputs.front().dtype)) continue;
    strategies.push_back({"partial", {Partial{op}}, {Partial{op}}});
  }
  return strategies;
}

std::vector<Alike> allBefore(int end) {
  std::vector<Alike> dims;
  for (int dim = 0; dim < end; ++dim) dims.push_back({dim, dim});
  return dims;
}

constexpr auto kAnyPartials = {ReduceOp::Sum, ReduceOp::Avg, ReduceOp::Max, ReduceOp::Min};

// [..., C r r, H, W] and [..., C, H r, W r]; either may be the input.
std::vector<SingleDimStrategy> pixelShuffle(const OpSchema& call) {
  const Shape &x = call.input(0).shape, &y = call.outputs.front().shape;
  const int ndim = call.input(0).ndim();
  auto dims = allBefore(ndim - 3);
  for (int dim = ndim - 3; dim < ndim; ++dim) {
    const auto at = static_cast<std::size_t>(dim);
    dims.push_back({dim, dim, std::min(x[at], y[at])});
  }
  return regrouped(call, dims, kAnyPartials);
}

// y[n, i g + k, ...] = x[n, k (C / g) + i, ...]
std::vector<SingleDimStrategy> channelShuffle(const OpSchema& call) {
  auto dims = allBefore(call.input(0).ndim());
  dims.erase(dims.begin() + 1);
  return regrouped(call, dims, kAnyPartials);
}

std::int64_t productOf(const std::vector<std::int64_t>& sizes) {
  std::int64_t product = 1;
  for (const auto size : sizes) product *= size;
  return product;
}

// Returns the number of windows. An earlier check has libtorch reject sizes that do not fit.
std::int64_t windowsIn(const OpSchema& call, const Shape& image) {
  const auto kernel = call.intList("kernel_size"), dilation = call.intList("dilation"),
             padding = call.intList("padding"), stride = call.intList("stride");
  std::int64_t windows = 1;
  for (std::size_t dim = 0; dim < 2; ++dim) {
    const auto reach = dilation[dim] * (kernel[dim] - 1) + 1;
    const auto size = image[image.size() - 2 + dim] + 2 * padding[dim];
    windows *= (size - reach) / stride[dim] + 1;
  }
  return windows;
}

// [N, C, H, W] to [N, C k k, L], or without N. Each window is a column.
std::vector<SingleDimStrategy> im2col(const OpSchema& call) {
  const int channels = call.input(0).ndim() - 3;
  auto dims = allBefore(channels);
  dims.push_back({channels, channels, call.input(0).shape[static_cast<std::size_t>(channels)]});
  return regrouped(call, dims, kAnyPartials);
}

std::vector<TensorMeta> im2colOutputs(const OpSchema& call) {
  Shape shape = call.input(0).shape;
  const auto windows = windowsIn(call, shape);
  shape.resize(shape.size() - 2);
  shape.back() *= productOf(call.intList("kernel_size"));
  shape.push_back(windows);
  return {inOrder(shape, call.input(0).dtype)};
}

// Elements that windows share are added.
std::vector<SingleDimStrategy> col2im(const OpSchema& call) {
  const int channels = call.input(0).ndim() - 2;
  auto dims = allBefore(channels);
  dims.push_back(
      {channels, channels, call.outputs.front().shape[static_cast<std::size_t>(channels)]});
  return regrouped(call, dims, {ReduceOp::Sum, ReduceOp::Avg});
}

std::vector<TensorMeta> col2imOutputs(const OpSchema& call) {
  Shape shape = call.input(0).shape;
  shape.pop_back();
  shape.back() /= productOf(call.intList("kernel_size"));
  for (const auto size : call.intList("output_size")) shape.push_back(size);
  return {inOrder(shape, call.input(0).dtype)};
}

}  // namespace

std::vector<NamedRule> channelsRules() {
  const auto rule = [](auto strategies, auto outputs) {
    return Rule{.singleDimStrategies = strategies,
                .emptyShards = Rule::EmptyShards::Skipped,
                .outputs = outputs};
  };
  return {{"aten.channel_shuffle", rule(channelShuffle, likeFirst)},
          {"aten.col2im", rule(col2im, col2imOutputs)},
          {"aten.im2col", rule(im2col, im2colOutputs)},
          {"aten.pixel_shuffle", rule(pixelShuffle, nullptr)},
          {"aten.pixel_unshuffle", rule(pixelShuffle, nullptr)}};
}

}  // namespace shardlens
