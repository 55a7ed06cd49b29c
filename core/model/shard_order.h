#pragma once

#include "core/model/mesh.h"
#include "core/model/placement.h"

#include <map>
#include <optional>
#include <vector>

namespace shardlens {

// Returns the mesh dimensions that shard a tensor dimension, ascending.
std::vector<int> shardingMeshDims(const Placements& placements, int tensorDim);

// For each tensor dimension, the mesh dimensions that shard it, in the order of sharding.
using ShardOrder = std::map<int, std::vector<int>>;

// Returns the placements for sharding in this order. Placements alone imply left to right, so a
// mesh dimension that shards after one to its right becomes a StridedShard. Tensor dimensions
// missing in `order` are sharded from left to right. Returns an error if an entry does not list
// exactly the mesh dimensions that shard its tensor dimension, or if a placement is already a
// StridedShard.
//
//   (S(0), S(0)) on a 2x4 mesh, {0: [1, 0]}: (SS(0, 4), S(0))
//
// If chunks have unequal sizes, a remainder may be placed on another rank than by sharding in
// order: with 7 rows on a 3x2 mesh and mesh dimension 1 first, row 6 is on rank 4 instead of 5.
Result<Placements> placementsInOrder(Placements placements, const ShardOrder& order,
                                     const DeviceMesh& mesh);

// Returns the order that the placements imply for each sharded tensor dimension, or nullopt if a
// split factor matches no order.
std::optional<ShardOrder> shardOrderOf(const Placements& placements, const DeviceMesh& mesh);

}  // namespace shardlens
