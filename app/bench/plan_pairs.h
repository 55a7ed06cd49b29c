#pragma once

#include "core/model/placement.h"

#include <utility>
#include <vector>

namespace shardlens {

using PlacementsPair = std::pair<Placements, Placements>;

// Pairs of different placements from {R, S(0), S(1), S(2), P(sum), SS(0, 2)} on a mesh of `ndim`
// dimensions. allPairs() returns all of them. drawnPairs() returns `count` random ones, the same in
// every run; a pair may occur twice.
std::vector<PlacementsPair> allPairs(int ndim);
std::vector<PlacementsPair> drawnPairs(int ndim, int count);

}  // namespace shardlens
