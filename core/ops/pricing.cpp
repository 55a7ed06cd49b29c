#include "core/ops/pricing.h"

#include "core/model/shard_geometry.h"
#include "core/model/shard_order.h"
#include "core/plan/planner.h"
#include "core/plan/transitions.h"

#include <algorithm>

namespace shardlens {
namespace {

// Returns true for partials that one operator cannot combine: of different kinds, with different
// masks, or masked and unmasked ones.
bool mixesPartials(const Placements& placements) {
  const Placement* masked = nullptr;
  const Placement* plain = nullptr;
  for (const auto& p : placements) {
    if (!isPartial(p)) continue;
    if (isMaskPartial(p) && masked != nullptr && *masked != p) return true;
    (isMaskPartial(p) ? masked : plain) = &p;
  }
  if (masked != nullptr && plain != nullptr) return true;
  return plain != nullptr && kindsOfPartial(placements).size() > 1;
}

// Returns true if every rank has some of n elements when the mesh dimensions from `meshDim` on
// shard them.
bool allHold(std::int64_t n, int tensorDim, const DeviceMesh& mesh, const Placements& placements,
             int meshDim) {
  if (n == 0) return false;
  const auto at = [&]() -> const Placement& {
    return placements[static_cast<std::size_t>(meshDim)];
  };
  while (meshDim < mesh.ndim() && shardedDim(at()) != tensorDim) ++meshDim;
  if (meshDim == mesh.ndim()) return true;
  // Rules with EmptyShards::Never have no strategies with strided shards.
  if (isStridedShard(at())) return false;
  // All chunks but the last have the first one's length, if the last has any elements. Checking the
  // two is enough: with 3 elements all of 3 ranks have some, with 4 elements not.
  const int parts = mesh.size(meshDim);
  return allHold(chunkOf(n, parts, parts - 1).length, tensorDim, mesh, placements, meshDim + 1) &&
         allHold(chunkOf(n, parts, 0).length, tensorDim, mesh, placements, meshDim + 1);
}

bool leavesNoRankEmpty(const Shape& shape, const DeviceMesh& mesh, const Placements& placements) {
  for (int dim = 0; dim < static_cast<int>(shape.size()); ++dim) {
    const bool isSharded = std::any_of(placements.begin(), placements.end(),
                                       [&](const auto& p) { return shardedDim(p) == dim; });
    const auto n = shape[static_cast<std::size_t>(dim)];
    if (isSharded && !allHold(n, dim, mesh, placements, 0)) return false;
  }
  return true;
}

// Returns true if each sharded dimension has at least as many elements as pieces.
bool isShardable(const Shape& shape, const DeviceMesh& mesh, const Placements& placements) {
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const auto tensorDim = shardedDim(placements[i]);
    if (!tensorDim) continue;
    if (*tensorDim >= static_cast<int>(shape.size())) return false;
    // The number of pieces that this shard and those to its left make.
    std::int64_t pieces = 1;
    for (std::size_t j = 0; j <= i; ++j) {
      if (shardedDim(placements[j]) == tensorDim) pieces *= mesh.size(static_cast<int>(j));
    }
    const auto* strided = std::get_if<StridedShard>(&placements[i]);
    if (strided != nullptr) pieces *= strided->splitFactor;
    if (shape[static_cast<std::size_t>(*tensorDim)] < pieces) return false;
  }
  return true;
}

// Returns true if a strided shard moves and a mesh dimension that did not shard any input now does.
// DTensor has no price for moving a strided shard and then takes the first strategy, which shards
// nothing. Dimensions that are sharded already may stay so here, if that saves a collective.
bool shardsWithStrided(const OpSchema& call, const OpStrategy& strategy) {
  bool moves = false, shards = false;
  for (std::size_t dim = 0; dim < static_cast<std::size_t>(call.mesh->ndim()); ++dim) {
    bool wasWhole = true, isSharded = false;
    for (std::size_t i = 0; i < call.inputs.size(); ++i) {
      const Placement& from = call.inputs[i].placements[dim];
      const Placement& to = strategy.inputs[i][dim];
      moves = moves || (isStridedShard(from) && from != to);
      wasWhole = wasWhole && isReplicate(from);
      isSharded = isSharded || shardedDim(to).has_value();
    }
    shards = shards || (wasWhole && isSharded);
  }
  return moves && shards;
}

}  // namespace

std::optional<OpStrategy> Pricing::priced(OpStrategy strategy) {
  if (shardsWithStrided(call_, strategy)) return std::nullopt;
  if (std::any_of(strategy.outputs.begin(), strategy.outputs.end(), mixesPartials)) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < strategy.inputs.size(); ++i) {
    const Spec& current = call_.inputs[i];
    const Placements& target = strategy.inputs[i];
    const bool stays = current.placements == target;
    if (mixesPartials(target)) return std::nullopt;
    // Full-mesh strategies are expected to keep existing shards; others are not checked either.
    const bool keeps = stays || rule_.fullMeshStrategies != nullptr;
    if (!isShardable(current.meta.shape, *call_.mesh, target) &&
        !(keeps && (rule_.emptyShards == Rule::EmptyShards::Kept ||
                    rule_.emptyShards == Rule::EmptyShards::Skipped))) {
      return std::nullopt;
    }
    if (rule_.emptyShards == Rule::EmptyShards::Never &&
        !leavesNoRankEmpty(current.meta.shape, *call_.mesh, target)) {
      return std::nullopt;
    }
    if (!addMove(model_, current, target, strategy)) return std::nullopt;
  }
  if (rule_.halos != nullptr && !addHalos(strategy)) return std::nullopt;
  for (std::size_t k = 0; k < call_.written.size(); ++k) {
    const auto& current = call_.inputs[call_.written[k]].placements;
    if (strategy.inputs[call_.written[k]] == current && strategy.outputs[k] == current) continue;
    blockedInPlace_ = true;
    return std::nullopt;
  }
  return strategy;
}

bool Pricing::addHalos(OpStrategy& strategy) const {
  auto halos = rule_.halos(call_, strategy);
  if (!halos) return false;
  for (const auto& halo : halos->each) {
    if (halo.bytes == 0) continue;
    const auto rate = linkRate(model_, *call_.mesh, halo.meshDims);
    const auto bytes = static_cast<double>(halo.bytes);
    strategy.haloCost += halos->exchanges * (rate.microseconds + bytes * rate.microsecondsPerByte);
    strategy.bytes += halos->exchanges * halo.bytes;
  }
  strategy.cost += strategy.haloCost;
  strategy.halos = std::move(halos->each);
  return true;
}

double Pricing::atLeast(std::size_t input, std::size_t meshDim, const Placement& to) const {
  const Spec& current = call_.inputs[input];
  const Placement& from = current.placements[meshDim];
  if (from == to) return 0;
  Move move = moveOf(from, to);
  if (reshards(from, to)) move = Move::AllGather;
  if (!isCollective(move)) return 0;
  double bytes = static_cast<double>(elementCount(current.meta.shape)) *
                 static_cast<double>(dtypeSize(current.meta.dtype));
  if (!shardOrderOf(current.placements, *call_.mesh)) bytes = 0;
  // Assume the smallest local part that any placement on the other mesh dimensions leaves.
  for (int dim = 0; dim < call_.mesh->ndim(); ++dim) {
    if (dim != static_cast<int>(meshDim) || move == Move::AllToAll) bytes /= call_.mesh->size(dim);
  }
  const auto rate = rateOf(model_, *call_.mesh, {static_cast<int>(meshDim)}, move);
  return rate.microseconds + bytes * rate.microsecondsPerByte;
}

bool addMove(const CostModel& model, const Spec& from, const Placements& to, OpStrategy& strategy) {
  if (from.placements == to) return true;
  const auto plan = planGreedy(from, to);
  const auto cost = plan ? implicitCost(model, from, *plan) : std::nullopt;
  if (!cost) return false;
  strategy.cost += *cost;
  strategy.bytes += receivedBytes(from, *plan);
  return true;
}

bool movesNothing(const OpStrategy& strategy, const OpSchema& call) {
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    if (strategy.inputs[i] != call.inputs[i].placements) return false;
  }
  return true;
}

}  // namespace shardlens
