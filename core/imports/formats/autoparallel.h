#pragma once

#include "core/imports/imported_rank.h"
#include "core/imports/input/byte_source.h"

namespace shardlens {

// A solution of AutoParallel's, in either of its forms: placements by node alone (save_solution),
// or the graph with costs (export_sharding_json), of which nodes become operators with the strategy
// that was chosen, results with their placements, and redistributions where an input comes in
// others. It is a plan: nothing of it has run, and nothing has a time.
void importAutoParallel(ByteSource& source, ImportedRank& rank);

}  // namespace shardlens
