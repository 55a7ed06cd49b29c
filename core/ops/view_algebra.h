#pragma once

#include "core/model/mesh.h"
#include "core/model/placement.h"

#include <vector>

namespace shardlens {

// Adjacent dimensions of a tensor that a view turns into other dimensions, with the same elements
// in the same order.
//
//   [2, 3, 4] -> [6, 2, 2]: {0, 1} -> {0} and {2} -> {1, 2}
struct DimGroup {
  std::vector<int> inputs;
  std::vector<int> outputs;
};

// Returns the smallest such groups, from left to right. A dimension of size one is grouped with one
// on the other side or alone, unless it is inside a group. Requires elements. Throws
// std::out_of_range if the element counts differ.
std::vector<DimGroup> dimGroups(const Shape& from, const Shape& to);

// Placements of a view's input and of its output. One per mesh dimension each.
struct ViewPlacements {
  Placements input;
  Placements output;
};

// Returns how a tensor with these placements passes through a view of the same number of elements.
// A shard stays if a shard of the new dimensions gives each rank the same elements; otherwise that
// mesh dimension is replicated. Partials stay. Without elements, the output is replicated where the
// input is sharded.
//
//   [2, 3] -> [6], S(1) over 3 ranks: SS(0, 2), because a rank has a part of each of two rows
//   [6] -> [2, 3], SS(0, 2) over 3 ranks: S(1), because the two pieces are now rows
//   [3, 4] -> [12], S(0) over 2 ranks: R, because no shard of 12 gives 8 and 4
ViewPlacements placementsThrough(const Shape& from, const Shape& to, const DeviceMesh& mesh,
                                 const Placements& placements);

}  // namespace shardlens
