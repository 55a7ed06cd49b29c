#include "core/ops/rules/rules.h"

#include <string>

// Pooling, padding and resampling of images, [N, C, d...] or [C, d...]. Each channel of each image
// is a plane, which is computed separately and never sharded.

namespace shardlens {
namespace {

// Which partials of the first input the operator maps to partials; other inputs are replicated.
enum class Partials {
  None,
  Linear,     // y[p] = sum over q of a[p, q] x[q]
  Selecting,  // y[p] = x[q(p)]
};

void addPartials(const OpSchema& call, Partials partials,
                 std::vector<SingleDimStrategy>& strategies) {
  if (partials == Partials::None) return;
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg, ReduceOp::Max, ReduceOp::Min}) {
    const bool isExtreme = op == ReduceOp::Max || op == ReduceOp::Min;
    if (isExtreme && partials != Partials::Selecting) continue;
    if (op == ReduceOp::Avg && isWhole(call.outputs.front().dtype)) continue;
    strategies.push_back(partialsOfFirst(call, op));
  }
}

// Shards images or channels alike in all tensors.
template <int planeDims, Partials partials>
std::vector<SingleDimStrategy> planes(const OpSchema& call) {
  std::vector<SingleDimStrategy> strategies;
  for (int dim = 0; dim < call.input(0).ndim() - planeDims; ++dim) {
    for (const auto& shard : shardsOf(call, dim)) {
      strategies.push_back({dim + planeDims + 1 == call.input(0).ndim() ? "channels" : "batch",
                            Placements(call.outputs.size(), shard),
                            Placements(call.inputs.size(), shard)});
    }
  }
  addPartials(call, partials, strategies);
  return strategies;
}

// y[n, c, p] = x[n, c] at the coordinates grid[n, p]
std::vector<SingleDimStrategy> gridSampler(const OpSchema& call) {
  std::vector<SingleDimStrategy> strategies;
  for (const auto& rows : shardsOf(call, 0)) {
    const auto columns = alongDim(rows, 1);
    strategies.push_back({"batch", {rows}, {rows, rows}});
    strategies.push_back({"channels", {columns}, {columns, Replicate{}}});
  }
  addPartials(call, Partials::Linear, strategies);
  return strategies;
}

std::vector<TensorMeta> gridSamplerOutputs(const OpSchema& call) {
  Shape shape = call.input(0).shape;
  const Shape& grid = call.input(1).shape;
  for (std::size_t dim = 2; dim < shape.size(); ++dim) shape[dim] = grid[dim - 1];
  return {inOrder(shape, call.input(0).dtype)};
}

// Inputs dy, x, grid. dgrid[n, p] sums over c.
std::vector<SingleDimStrategy> gridSamplerBackward(const OpSchema& call) {
  std::vector<SingleDimStrategy> strategies;
  const auto add = [&](const char* name, const Placements& gradients, Placements inputs) {
    strategies.push_back({name, requestedGradients(call, gradients), std::move(inputs)});
  };
  for (const auto& rows : shardsOf(call, 0)) {
    const auto columns = alongDim(rows, 1);
    add("batch", {rows, rows}, {rows, rows, rows});
    add("channels", {columns, Partial{}}, {columns, columns, Replicate{}});
  }
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg}) {
    strategies.push_back(partialsOfFirst(call, op));
  }
  return strategies;
}

std::vector<TensorMeta> gridSamplerBackwardOutputs(const OpSchema& call) {
  std::vector<TensorMeta> gradients;
  for (const std::size_t input : {1, 2}) {
    gradients.push_back(inOrder(call.input(input).shape, call.input(input).dtype));
  }
  return gradients;
}

enum class Meta { Native, OfPlane };  // see Rule::planeDims

template <int planeDims, Partials partials>
Rule onPlanes(Meta meta, std::string_view sizeArg = {}) {
  return {.singleDimStrategies = planes<planeDims, partials>,
          .emptyShards = Rule::EmptyShards::Skipped,
          .sizeArg = sizeArg,
          .planeDims = meta == Meta::OfPlane ? planeDims : 0};
}

}  // namespace

std::vector<NamedRule> spatialRules() {
  constexpr auto kNone = Partials::None, kLinear = Partials::Linear,
                 kSelecting = Partials::Selecting;
  constexpr auto kNative = Meta::Native, kOfPlane = Meta::OfPlane;
  std::vector<NamedRule> rules;
  const auto add = [&](const Rule& rule, std::initializer_list<const char*> names) {
    for (const auto* name : names) rules.push_back({"aten." + std::string(name), rule});
  };
  add(onPlanes<2, kNone>(kNative), {"adaptive_max_pool2d", "max_pool2d_with_indices"});
  add(onPlanes<3, kNone>(kNative), {"adaptive_max_pool3d"});
  add(onPlanes<3, kNone>(kOfPlane), {"max_pool3d_with_indices"});
  add(onPlanes<1, kSelecting>(kNative),
      {"_upsample_nearest_exact1d", "reflection_pad1d", "replication_pad1d", "upsample_nearest1d"});
  add(onPlanes<2, kSelecting>(kNative),
      {"_upsample_nearest_exact2d", "replication_pad2d", "upsample_nearest2d"});
  add(onPlanes<2, kSelecting>(kOfPlane), {"reflection_pad2d"});
  add(onPlanes<3, kSelecting>(kNative),
      {"_upsample_nearest_exact3d", "reflection_pad3d", "replication_pad3d", "upsample_nearest3d"});
  add(onPlanes<1, kLinear>(kNative),
      {"reflection_pad1d_backward", "replication_pad1d_backward", "upsample_linear1d"});
  add(onPlanes<2, kLinear>(kNative),
      {"_upsample_bicubic2d_aa", "_upsample_bilinear2d_aa", "_upsample_lanczos2d_aa",
       "adaptive_max_pool2d_backward", "avg_pool2d", "avg_pool2d_backward",
       "max_pool2d_with_indices_backward", "upsample_bicubic2d", "upsample_bilinear2d"});
  add(onPlanes<2, kLinear>(kOfPlane),
      {"_adaptive_avg_pool2d", "_adaptive_avg_pool2d_backward", "max_unpool2d",
       "reflection_pad2d_backward", "replication_pad2d_backward"});
  add(onPlanes<3, kLinear>(kNative),
      {"adaptive_max_pool3d_backward", "avg_pool3d", "avg_pool3d_backward",
       "reflection_pad3d_backward", "upsample_trilinear3d"});
  add(onPlanes<3, kLinear>(kOfPlane),
      {"_adaptive_avg_pool3d", "_adaptive_avg_pool3d_backward", "max_pool3d_with_indices_backward",
       "max_unpool3d", "replication_pad3d_backward"});
  add(onPlanes<1, kLinear>(kNative, "input_size"),
      {"_upsample_nearest_exact1d_backward", "upsample_linear1d_backward",
       "upsample_nearest1d_backward"});
  add(onPlanes<2, kLinear>(kNative, "input_size"),
      {"_upsample_bicubic2d_aa_backward", "_upsample_bilinear2d_aa_backward",
       "_upsample_lanczos2d_aa_backward", "_upsample_nearest_exact2d_backward",
       "upsample_bicubic2d_backward", "upsample_bilinear2d_backward",
       "upsample_nearest2d_backward"});
  add(onPlanes<3, kLinear>(kNative, "input_size"),
      {"_upsample_nearest_exact3d_backward", "upsample_nearest3d_backward",
       "upsample_trilinear3d_backward"});
  constexpr auto kSkipped = Rule::EmptyShards::Skipped;
  add({.singleDimStrategies = gridSampler, .emptyShards = kSkipped, .outputs = gridSamplerOutputs},
      {"grid_sampler_2d", "grid_sampler_3d"});
  add({.singleDimStrategies = gridSamplerBackward,
       .emptyShards = kSkipped,
       .outputs = gridSamplerBackwardOutputs},
      {"grid_sampler_2d_backward", "grid_sampler_3d_backward"});
  return rules;
}

}  // namespace shardlens
