#pragma once

#include "core/inference/graph.h"
#include "core/ops/schema.h"

namespace shardlens {

// Returns a recorded call as the sharding rules see it, with the local shapes, on a mesh of one
// axis. Each input has the placements `candidates`.
OpSchema schemaOf(const PlainGraph& graph, const PlainOperation& op, const Placements& candidates);

}  // namespace shardlens
