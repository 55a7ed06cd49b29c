#pragma once

#include "core/imports/imported_rank.h"
#include "core/imports/input/byte_source.h"

namespace shardlens {

// Imports an AutoParallel solution into `rank`. Accepts both forms: placements by node
// (save_solution) and the graph with costs (export_sharding_json). From the graph, nodes become
// operators with the chosen strategy, results with placements, and a redistribution for each input
// whose placement changes. A solution is a plan that has not run, so events have no times. Throws
// BadDump.
void importAutoParallel(ByteSource& source, ImportedRank& rank);

}  // namespace shardlens
