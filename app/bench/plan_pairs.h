#pragma once

#include "core/model/placement.h"

#include <utility>
#include <vector>

namespace shardlens {

using PlacementsPair = std::pair<Placements, Placements>;

// Pairs of different placements of {R, S(0), S(1), S(2), P, SS(0, 2)}: all that a mesh of so many
// dimensions has, or so many drawn from them, always the same ones.
std::vector<PlacementsPair> allPairs(int ndim);
std::vector<PlacementsPair> drawnPairs(int ndim, int count);

}  // namespace shardlens
