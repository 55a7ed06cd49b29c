#pragma once

#include "core/imports/imported_rank.h"
#include "core/imports/input/byte_source.h"

namespace shardlens {

// Imports CommDebugMode's generate_json_dump() of one rank. Modules become nested operators that
// contain their operators and collectives, forward and backward. The dump has no times, and no
// bytes or groups of collectives. Collectives that are only counted come after the module's
// operators. Throws BadDump.
void importCommDebugMode(ByteSource& source, ImportedRank& rank);

}  // namespace shardlens
