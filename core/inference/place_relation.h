#pragma once

#include "core/inference/domain.h"
#include "core/inference/graph.h"
#include "core/inference/relations.h"
#include "core/model/placement.h"

#include <vector>

namespace shardlens {

// Adds to the relation of an operator what holds because each rank has its own places: rows that an
// index selects or writes, rows that are set to zero, and bags of ids. `candidates` has the
// placements that inputs may have, `merged` the factors of strided shards of merged dimensions.
void addPlaces(PlacementCodes& codes, const PlainGraph& graph, const PlainOperation& op,
               const Placements& candidates, const std::vector<int>& merged, Relation& relation);

}  // namespace shardlens
