#include "core/ops/rules/rules.h"

#include <algorithm>
#include <set>

namespace shardlens {
std::vector<TensorMeta> likeFirst(const OpSchema& call) { return {call.input(0)}; }

std::vector<TensorMeta> likeSecond(const OpSchema& call) {
  const auto& second = call.input(1);
  return {inOrder(second.shape, second.dtype)};
}

std::vector<TensorMeta> ofSizesArg(const OpSchema& call) {
  return {inOrder(call.intList("sizes"), call.input(0).dtype)};
}

std::vector<TensorMeta> noTensor(const OpSchema&) { return {}; }

std::vector<SingleDimStrategy> onlyWhole(const OpSchema&) { return {}; }

Shape broadcastShape(const OpSchema& call) {
  Shape shape;
  for (const auto& input : call.inputs) {
    const auto& own = input.meta.shape;
    if (own.size() > shape.size()) shape.insert(shape.begin(), own.size() - shape.size(), 1);
    for (std::size_t i = 1; i <= own.size(); ++i) {
      if (own[own.size() - i] != 1) shape[shape.size() - i] = own[own.size() - i];
    }
  }
  return shape;
}

Placement alongside(const Shape& input, const Shape& stretched, int shardDim,
                    const Placement& shard) {
  const int dim = shardDim - static_cast<int>(stretched.size() - input.size());
  if (dim < 0) return Replicate{};
  const bool isStretched = input[static_cast<std::size_t>(dim)] == 1 &&
                           stretched[static_cast<std::size_t>(shardDim)] != 1;
  return isStretched ? Placement(Replicate{}) : alongDim(shard, dim);
}

std::vector<SingleDimStrategy> shardAlike(const OpSchema& call, const Shape& stretched) {
  std::vector<SingleDimStrategy> strategies;
  for (int dim = 0; dim < static_cast<int>(stretched.size()); ++dim) {
    for (const auto& shard : shardsOf(call, dim)) {
      SingleDimStrategy strategy{"sharded", Placements(call.outputs.size(), shard), {}};
      for (const auto& input : call.inputs) {
        strategy.inputs.push_back(alongside(input.meta.shape, stretched, dim, shard));
      }
      strategies.push_back(std::move(strategy));
    }
  }
  return strategies;
}

std::vector<SingleDimStrategy> writtenOnParts(const OpSchema& call) {
  std::vector<SingleDimStrategy> strategies;
  if (call.input(0).shape != call.outputs.front().shape) return strategies;
  for (int dim = 0; dim < call.input(0).ndim(); ++dim) {
    for (const auto& shard : shardsOf(call, dim)) {
      SingleDimStrategy strategy{"parts", {shard}, Placements(call.inputs.size(), Replicate{})};
      strategy.inputs.front() = shard;
      strategies.push_back(std::move(strategy));
    }
  }
  return strategies;
}

std::optional<std::size_t> givenInput(const OpSchema& call, std::string_view name) {
  const auto* given = call.findArg(name);
  const auto* tensor = given != nullptr ? std::get_if<TensorIndex>(given) : nullptr;
  return tensor != nullptr ? std::optional(tensor->index) : std::nullopt;
}

TensorMeta inOrder(const Shape& shape, DType dtype) {
  return {shape, contiguousStrides(shape), dtype};
}

std::vector<Placement> shardsOf(const OpSchema& call, int dim) {
  bool isSharded = false;
  std::set<int> factors;
  for (const auto& input : call.inputs) {
    for (const auto& placement : input.placements) {
      isSharded = isSharded || std::holds_alternative<Shard>(placement);
      if (const auto* strided = std::get_if<StridedShard>(&placement)) {
        factors.insert(strided->splitFactor);
      }
    }
  }
  std::vector<Placement> shards;
  if (isSharded) shards.emplace_back(Shard{dim});
  for (const int factor : factors) shards.push_back(StridedShard{dim, factor});
  return shards;
}

std::vector<Placement> partialsOf(const OpSchema& call) {
  std::vector<Placement> partials;
  for (const auto& input : call.inputs) {
    for (const auto& placement : input.placements) {
      const bool known = std::find(partials.begin(), partials.end(), placement) != partials.end();
      if (isPartial(placement) && !known) partials.push_back(placement);
    }
  }
  return partials;
}

int dimArg(const OpSchema& call, std::string_view name, int ndim) {
  const auto dim = static_cast<int>(std::get<std::int64_t>(call.arg(name)));
  return dim < 0 ? dim + ndim : dim;
}

Placements requestedGradients(const OpSchema& call, const Placements& gradients) {
  const auto requested = call.intList("output_mask");
  Placements placements;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (requested[i] != 0) placements.push_back(gradients[i]);
  }
  return placements;
}

SingleDimStrategy partialsOfFirst(const OpSchema& call, ReduceOp op) {
  SingleDimStrategy strategy{"partial", Placements(call.outputs.size(), Partial{op}),
                             Placements(call.inputs.size(), Replicate{})};
  strategy.inputs.front() = Partial{op};
  return strategy;
}

Placement alongDim(Placement shard, int dim) {
  if (auto* plain = std::get_if<Shard>(&shard)) plain->dim = dim;
  if (auto* strided = std::get_if<StridedShard>(&shard)) strided->dim = dim;
  return shard;
}

}  // namespace shardlens
