#include "core/ops/rules/rules.h"

#include <algorithm>

namespace shardlens {
namespace {

int joinedDim(const OpSchema& call) { return dimArg(call, "dim", call.outputs.front().ndim()); }

// Returns the placement of an input if the output is sharded on a dimension other than the joined
// one.
using InputShard = Placement (*)(const TensorMeta& input, const Placement& shard, int along);

// Partials are joined like whole tensors if all have one dtype. MaskPartials are excluded, because
// those of one table may have different masks.
void addTermwise(std::vector<SingleDimStrategy>& strategies, const OpSchema& call) {
  const DType dtype = call.outputs.front().dtype;
  const bool oneType = std::all_of(call.inputs.begin(), call.inputs.end(),
                                   [&](const auto& input) { return input.meta.dtype == dtype; });
  for (const auto& partial : partialsOf(call)) {
    if (!oneType || isMaskPartial(partial)) continue;
    strategies.push_back({"partial", {partial}, Placements(call.inputs.size(), partial)});
  }
}

std::vector<SingleDimStrategy> joined(const OpSchema& call, InputShard inputShard) {
  const auto& output = call.outputs.front();
  const int along = joinedDim(call);
  std::vector<SingleDimStrategy> strategies;
  for (int dim = 0; dim < output.ndim(); ++dim) {
    if (dim == along) continue;
    for (const auto& shard : shardsOf(call, dim)) {
      SingleDimStrategy strategy{"sharded", {shard}, {}};
      for (const auto& input : call.inputs) {
        strategy.inputs.push_back(inputShard(input.meta, shard, along));
      }
      strategies.push_back(std::move(strategy));
    }
  }
  addTermwise(strategies, call);
  return strategies;
}

// Returns the shard of an input that lacks the joined dimension of the output.
Placement withoutDim(const Placement& shard, int along) {
  const int dim = *shardedDim(shard);
  return alongDim(shard, dim > along ? dim - 1 : dim);
}

// y[..., offset of k + i, ...] = x_k[..., i, ...]; an input of shape [0] joins any others.
std::vector<SingleDimStrategy> cat(const OpSchema& call) {
  return joined(call, [](const TensorMeta& input, const Placement& shard, int) {
    return input.shape == Shape{0} ? Placement(Replicate{}) : shard;
  });
}

// y[..., k, ...] = x_k[...]
std::vector<SingleDimStrategy> stack(const OpSchema& call) {
  return joined(call, [](const TensorMeta&, const Placement& shard, int along) {
    return withoutDim(shard, along);
  });
}

// y = x, but y[..., start + step * i, ...] = src[..., i, ...]
std::vector<SingleDimStrategy> sliceScatter(const OpSchema& call) {
  return joined(call, [](const TensorMeta&, const Placement& shard, int) { return shard; });
}

// y = x, but y[..., index, ...] = src[...]
std::vector<SingleDimStrategy> selectScatter(const OpSchema& call) {
  auto strategies =
      joined(call, [](const TensorMeta&, const Placement& shard, int) { return shard; });
  for (auto& strategy : strategies) {
    if (shardedDim(strategy.inputs[1]))
      strategy.inputs[1] = withoutDim(strategy.inputs[1], joinedDim(call));
  }
  return strategies;
}

// y = x, but y[i..., with k at dim1 and k + offset at dim2] = src[i..., k]
std::vector<SingleDimStrategy> diagonalScatter(const OpSchema& call) {
  const auto& output = call.outputs.front();
  const int dim1 = dimArg(call, "dim1", output.ndim()), dim2 = dimArg(call, "dim2", output.ndim());
  std::vector<SingleDimStrategy> strategies;
  for (int dim = 0; dim < output.ndim(); ++dim) {
    if (dim == dim1 || dim == dim2) continue;
    const int own = dim - (dim1 < dim ? 1 : 0) - (dim2 < dim ? 1 : 0);
    for (const auto& shard : shardsOf(call, dim)) {
      strategies.push_back({"sharded", {shard}, {shard, alongDim(shard, own)}});
    }
  }
  addTermwise(strategies, call);
  return strategies;
}

// Only partials stay. Shards do not, because the output's parts are on other ranks than the
// inputs'.
std::vector<SingleDimStrategy> onlyPartials(const OpSchema& call) {
  std::vector<SingleDimStrategy> strategies;
  addTermwise(strategies, call);
  return strategies;
}

}  // namespace

std::vector<NamedRule> catRules() {
  const auto joining = [](auto strategies) {
    return Rule{.singleDimStrategies = strategies, .emptyShards = Rule::EmptyShards::Kept};
  };
  return {{"aten._chunk_cat", joining(onlyPartials)},
          {"aten.block_diag", joining(onlyPartials)},
          {"aten.cat", joining(cat)},
          {"aten.diagonal_scatter", joining(diagonalScatter)},
          {"aten.select_scatter", joining(selectScatter)},
          {"aten.slice_scatter", joining(sliceScatter)},
          {"aten.stack", joining(stack)}};
}

}  // namespace shardlens
