#include "core/ops/rules/rules.h"
#include "core/ops/view_algebra.h"

#include <algorithm>
#include <type_traits>

namespace shardlens {
namespace {

// For each input dimension, the output dimension with the same indices; kNone if a shard of it does
// not determine a shard of the output. The functions that compute it throw std::out_of_range for
// dimensions that the call lacks, because the calls of a damaged recording are not checked.
using DimMap = std::vector<int>;
constexpr int kNone = -1;

std::int64_t intArg(const OpSchema& call, std::string_view name) {
  return std::get<std::int64_t>(call.arg(name));
}

int ownDimArg(const OpSchema& call, std::string_view name) {
  return dimArg(call, name, call.input(0).ndim());
}

DimMap allDims(const OpSchema& call) {
  DimMap map;
  for (int dim = 0; dim < call.input(0).ndim(); ++dim) map.push_back(dim);
  return map;
}

// Returns all dimensions except `dims`. Ignores dimensions that the input lacks: some operators
// accept them for scalars, and libtorch rejects them elsewhere.
DimMap allBut(const OpSchema& call, const std::vector<std::int64_t>& dims) {
  DimMap map = allDims(call);
  const auto ndim = static_cast<std::int64_t>(map.size());
  for (const auto dim : dims) {
    const auto at = dim < 0 ? dim + ndim : dim;
    if (at >= 0 && at < ndim) map[static_cast<std::size_t>(at)] = kNone;
  }
  return map;
}

// Moves the dimensions after removed ones to the left.
DimMap closedUp(DimMap map) {
  int next = 0;
  for (int& dim : map) {
    if (dim != kNone) dim = next++;
  }
  return map;
}

// Moves the dimensions from `at` on to the right.
DimMap opened(DimMap map, int at) {
  for (int& dim : map) dim += dim >= at ? 1 : 0;
  return map;
}

// y[i0, i1, ...] = x[i in the order of dims]
DimMap permute(const OpSchema& call) {
  DimMap map = allDims(call);
  const auto dims = call.intList("dims");
  for (std::size_t out = 0; out < dims.size(); ++out) {
    const auto from = dims[out] < 0 ? dims[out] + call.input(0).ndim() : dims[out];
    map.at(static_cast<std::size_t>(from)) = static_cast<int>(out);
  }
  return map;
}

DimMap transpose(const OpSchema& call) {
  DimMap map = allDims(call);
  if (map.empty()) return map;
  std::swap(map.at(static_cast<std::size_t>(ownDimArg(call, "dim0"))),
            map.at(static_cast<std::size_t>(ownDimArg(call, "dim1"))));
  return map;
}

DimMap t(const OpSchema& call) {
  DimMap map = allDims(call);
  std::reverse(map.begin(), map.end());
  return map;
}

DimMap unsqueeze(const OpSchema& call) {
  return opened(allDims(call), dimArg(call, "dim", call.input(0).ndim() + 1));
}

// Adds dimensions on the left and broadcasts those of size one.
DimMap expand(const OpSchema& call) {
  const auto& input = call.input(0);
  const auto& output = call.outputs.front();
  const int added = output.ndim() - input.ndim();
  DimMap map = allDims(call);
  for (int& dim : map) {
    const auto size = input.shape[static_cast<std::size_t>(dim)];
    dim += added;
    if (size != output.shape.at(static_cast<std::size_t>(dim))) dim = kNone;
  }
  return map;
}

// y[..., i + n * k, ...] = x[..., i, ...] for each k, where n is the size
DimMap repeat(const OpSchema& call) {
  const auto times = call.intList("repeats");
  const auto added = times.size() - call.input(0).shape.size();
  DimMap map = allDims(call);
  for (int& dim : map) {
    const auto at = static_cast<std::size_t>(dim) + added;
    dim = times.at(at) == 1 ? static_cast<int>(at) : kNone;
  }
  return map;
}

// y[i..., j...] = x[i..., index, j...]
DimMap select(const OpSchema& call) { return closedUp(allBut(call, {intArg(call, "dim")})); }

DimMap selectBackward(const OpSchema& call) {
  return opened(allDims(call), dimArg(call, "dim", call.outputs.front().ndim()));
}

// y[..., i, ...] = x[..., start + step * i, ...]
DimMap slice(const OpSchema& call) {
  const bool isWhole = call.outputs.front().shape == call.input(0).shape;
  return isWhole ? allDims(call) : allBut(call, {intArg(call, "dim")});
}

// The outputs are the parts of x along a dimension.
DimMap split(const OpSchema& call) { return allBut(call, {intArg(call, "dim")}); }
DimMap unfold(const OpSchema& call) { return allBut(call, {intArg(call, "dimension")}); }
// The gradient has the unfolded tensor's dimensions, with "dim" among them, then the window's.
DimMap unfoldBackward(const OpSchema& call) {
  return allBut(call, {dimArg(call, "dim", call.input(0).ndim() - 1), -1});
}

// y[i..., k] = x[i..., with k at dim1 and k + offset at dim2]
DimMap diagonal(const OpSchema& call) {
  return closedUp(allBut(call, {intArg(call, "dim1"), intArg(call, "dim2")}));
}

DimMap diagonalBackward(const OpSchema& call) {
  const int ndim = call.outputs.front().ndim();
  const int a = dimArg(call, "dim1", ndim), b = dimArg(call, "dim2", ndim);
  return opened(opened(allBut(call, {-1}), std::min(a, b)), std::max(a, b));
}

// Zeroes the elements below or above a diagonal.
DimMap triangle(const OpSchema& call) { return allBut(call, {-2, -1}); }

// y = x rotated by multiples of 90 degrees in the plane of two dimensions, which may swap
DimMap rot90(const OpSchema& call) { return allBut(call, call.intList("dims")); }

std::vector<TensorMeta> turned(const OpSchema& call) {
  auto shape = call.input(0).shape;
  const auto ndim = static_cast<std::int64_t>(shape.size());
  const auto dims = call.intList("dims");
  const auto at = [&](std::size_t i) -> std::int64_t& {
    return shape[static_cast<std::size_t>(dims[i] < 0 ? dims[i] + ndim : dims[i])];
  };
  if (intArg(call, "k") % 2 != 0) std::swap(at(0), at(1));
  return {inOrder(shape, call.input(0).dtype)};
}

DimMap flip(const OpSchema& call) { return allBut(call, call.intList("dims")); }

// Without "dims", rolls the flattened elements.
DimMap roll(const OpSchema& call) {
  const auto dims = call.intList("dims");
  return dims.empty() ? DimMap(call.input(0).shape.size(), kNone) : allBut(call, dims);
}

// `pad` has the amounts before and after each dimension, from the last dimension on.
DimMap padded(const OpSchema& call) {
  DimMap map = allDims(call);
  const auto amounts = call.intList("pad");
  for (std::size_t i = 0; i + 1 < amounts.size(); i += 2) {
    if (amounts[i] != 0 || amounts[i + 1] != 0) map.at(map.size() - 1 - i / 2) = kNone;
  }
  return map;
}

// A view moves only what it must: a shard that cannot be kept is replicated.
template <DimMap (*dims)(const OpSchema&)>
std::vector<OpStrategy> keeping(const OpSchema& call) {
  const DimMap map = dims(call);
  Placements input, output;
  for (const auto& placement : call.inputs.front().placements) {
    const auto dim = shardedDim(placement);
    const int out = dim ? map.at(static_cast<std::size_t>(*dim)) : kNone;
    const auto kept = dim && out == kNone ? Placement(Replicate{}) : placement;
    input.push_back(kept);
    output.push_back(alongDim(kept, out));
  }
  return {{"view", {output}, {input}}};
}

std::vector<OpStrategy> view(const OpSchema& call) {
  auto through = placementsThrough(call.input(0).shape, call.outputs.front().shape, *call.mesh,
                                   call.inputs.front().placements);
  return {{"view", {std::move(through.output)}, {std::move(through.input)}}};
}

// Operators that act alike along the mapped dimensions: these may be sharded, and partials stay
// partial.
template <DimMap (*dims)(const OpSchema&)>
std::vector<SingleDimStrategy> following(const OpSchema& call) {
  const DimMap map = dims(call);
  std::vector<SingleDimStrategy> strategies;
  for (int dim = 0; dim < call.input(0).ndim(); ++dim) {
    const int out = map[static_cast<std::size_t>(dim)];
    if (out == kNone) continue;
    for (const auto& shard : shardsOf(call, dim)) {
      strategies.push_back(
          {"sharded", Placements(call.outputs.size(), alongDim(shard, out)), {shard}});
    }
  }
  for (const auto& partial : partialsOf(call)) {
    strategies.push_back({"partial", Placements(call.outputs.size(), partial), {partial}});
  }
  return strategies;
}

bool isZero(const ArgValue& value) {
  return std::visit(
      [](const auto& given) {
        using Given = std::decay_t<decltype(given)>;
        if constexpr (std::is_arithmetic_v<Given>) return given == 0;
        if constexpr (std::is_same_v<Given, std::string>) {
          return given.find_first_not_of("-0.") == std::string::npos;
        }
        return false;
      },
      value);
}

// A padding of zeros is correct for any partial; another constant only for averages, maxima and
// minima.
std::vector<SingleDimStrategy> pad(const OpSchema& call) {
  auto strategies = following<padded>(call);
  if (isZero(call.arg("value"))) return strategies;
  std::erase_if(strategies, [](const SingleDimStrategy& strategy) {
    const auto op = partialOp(strategy.inputs.front());
    return isPartial(strategy.inputs.front()) && op != ReduceOp::Avg && op != ReduceOp::Max &&
           op != ReduceOp::Min;
  });
  return strategies;
}

std::vector<TensorMeta> contiguousOutput(const OpSchema& call, const Shape& shape) {
  return {inOrder(shape, call.input(0).dtype)};
}
std::vector<TensorMeta> outputLikeInput(const OpSchema& call) {
  return contiguousOutput(call, call.input(0).shape);
}
std::vector<TensorMeta> outputOfInputSizes(const OpSchema& call) {
  return contiguousOutput(call, call.intList("input_sizes"));
}

template <DimMap (*dims)(const OpSchema&)>
Rule keptBy(std::string_view sizeArg = {}) {
  return {.fullMeshStrategies = keeping<dims>,
          .emptyShards = Rule::EmptyShards::Kept,
          .sizeArg = sizeArg};
}

template <DimMap (*dims)(const OpSchema&)>
Rule followed(std::string_view sizeArg = {},
              std::vector<TensorMeta> (*outputs)(const OpSchema&) = nullptr) {
  return {.singleDimStrategies = following<dims>,
          .emptyShards = Rule::EmptyShards::Kept,
          .sizeArg = sizeArg,
          .outputs = outputs};
}

}  // namespace

std::vector<NamedRule> viewRules() {
  const Rule viewed{.fullMeshStrategies = view, .emptyShards = Rule::EmptyShards::Kept};
  return {
      {"aten._reshape_alias", viewed},
      {"aten._unsafe_view", viewed},
      {"aten.squeeze.*", viewed},
      {"aten.view", viewed},
      {"aten.expand", keptBy<expand>("size")},
      {"aten.permute", keptBy<permute>()},
      {"aten.repeat", keptBy<repeat>()},
      {"aten.t", keptBy<t>()},
      {"aten.transpose.*", keptBy<transpose>()},
      {"aten.unsqueeze", keptBy<unsqueeze>()},
      {"aten.constant_pad_nd",
       {.singleDimStrategies = pad, .emptyShards = Rule::EmptyShards::Kept}},
      {"aten.diag_embed", followed<diagonalBackward>()},
      {"aten.diagonal", followed<diagonal>()},
      {"aten.diagonal_backward", followed<diagonalBackward>("input_sizes")},
      {"aten.flip", followed<flip>({}, outputLikeInput)},
      {"aten.narrow_copy", followed<slice>()},
      {"aten.roll", followed<roll>({}, outputLikeInput)},
      {"aten.rot90", followed<rot90>({}, turned)},
      {"aten.select.int", followed<select>()},
      {"aten.select_backward", followed<selectBackward>("input_sizes")},
      {"aten.slice.Tensor", followed<slice>()},
      {"aten.slice_backward", followed<slice>("input_sizes")},
      {"aten.split.Tensor", followed<split>()},
      {"aten.split_with_sizes", followed<split>()},
      {"aten.tril", followed<triangle>()},
      {"aten.triu", followed<triangle>()},
      {"aten.unbind.int", followed<select>()},
      {"aten.unsafe_split.Tensor", followed<split>()},
      {"aten.unsafe_split_with_sizes", followed<split>()},
      {"aten.unfold", followed<unfold>()},
      {"aten.unfold_backward", followed<unfoldBackward>("input_sizes", outputOfInputSizes)},
  };
}

}  // namespace shardlens
