#pragma once

#include "core/inference/relations.h"

namespace shardlens {

// Returns the relation of a view of one rank's tensor. Unlike the rules of sharded tensors, it
// knows the sizes of a rank's part only. Requires equal element counts.
//
//   [4, 6] -> [4, 2, 3]: S(1) -> S(1), because the outer of the new dimensions is the sharded one
//   [4, 6] -> [24]: S(0) -> S(0), and S(1) -> SS(0, 4), which a view back makes S(1) again
//   [1, 4] -> [4]: S(0) or S(1) -> S(0), because each rank may have one element of dimension 0
//
// `addsOnly`: a new dimension has one element on all ranks together, as that of unsqueeze().
Relation viewRelation(PlacementCodes& codes, const Shape& from, const Shape& to,
                      bool addsOnly = false);

}  // namespace shardlens
