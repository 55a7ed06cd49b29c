#pragma once

#include "core/model/mesh.h"
#include "core/model/placement.h"

#include <map>
#include <optional>
#include <vector>

namespace shardlens {

// The mesh dimensions that cut a tensor dimension, ascending.
std::vector<int> meshDimsThatCut(const Placements& placements, int tensorDim);

// For a tensor dimension, the mesh dimensions that cut it, the first to cut first.
using ShardOrder = std::map<int, std::vector<int>>;

// Placements have no order of their own: mesh dimensions cut from left to right, and one that comes
// later than others to its right is a strided shard. Takes shards that are to be cut in this order
// (from left to right where it says nothing) and gives the placements that say so; refuses an order
// of other mesh dimensions than those that cut, and placements that have a strided shard already.
//
//   (S(0), S(0)) on a 2x4 mesh, {0: [1, 0]}: (SS(0, 4), S(0))
//
// Where pieces come out unequal, those placements may give a leftover to another rank than cutting
// in order would: of 7 rows on a 3x2 mesh, cut by mesh dimension 1 first, the last is rank 4's.
Result<Placements> placementsInOrder(Placements placements, const ShardOrder& order,
                                     const DeviceMesh& mesh);

// The order that placements say, for every tensor dimension that is cut; none where a strided shard
// is cut finer or coarser than any order would.
std::optional<ShardOrder> shardOrderOf(const Placements& placements, const DeviceMesh& mesh);

}  // namespace shardlens
