#pragma once

#include "core/imports/imported_rank.h"
#include "core/imports/input/byte_source.h"

namespace shardlens {

// What CommDebugMode counted of one rank, by generate_json_dump(): modules inside one another, and
// in each its operators and collectives, forward and backward. Neither when nor in which order they
// ran among each other is told, nor a collective's bytes and group.
void importCommDebugMode(ByteSource& source, ImportedRank& rank);

}  // namespace shardlens
