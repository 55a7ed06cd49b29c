#pragma once

#include "core/model/mesh.h"
#include "core/model/placement.h"

#include <vector>

namespace shardlens {

// Neighbouring dimensions of a tensor that a view turns into others, which count the same elements
// in the same order.
//
//   [2, 3, 4] -> [6, 2, 2]: {0, 1} -> {0} and {2} -> {1, 2}
struct DimGroup {
  std::vector<int> inputs;
  std::vector<int> outputs;
};

// The smallest such groups, from left to right. A dimension of size one goes with one on the other
// side or by itself, unless it lies within a group.
std::vector<DimGroup> dimGroups(const Shape& from, const Shape& to);

// Where a view's input has to lie, and where its result then lies.
struct ViewPlacements {
  Placements input;
  Placements output;
};

// Each rank's view of what it holds is its part of the whole's view: mesh dimensions whose cut can
// be said of the new dimensions keep it, the others hold the whole. Terms stay terms.
//
//   [2, 3] -> [6], S(1) over 3 ranks: SS(0, 2), since a rank holds a part of each of two rows
//   [6] -> [2, 3], SS(0, 2) over 3 ranks: S(1), since the two pieces are now rows
//   [3, 4] -> [12], S(0) over 2 ranks: R, since no cut of 12 gives 8 and 4
ViewPlacements placementsThrough(const Shape& from, const Shape& to, const DeviceMesh& mesh,
                                 const Placements& placements);

}  // namespace shardlens
