#pragma once

#include "core/imports/imported_rank.h"
#include "core/imports/input/byte_source.h"

namespace shardlens {

// What PyTorch's DebugMode wrote of one rank, as text (debug_string) or JSON (save_logs, version
// 1): operators, redistributions with their placements and whether somebody asked for them, output
// placements as Candidates of which the others are not known, and collectives with their bytes.
void importDebugModeText(ByteSource& source, ImportedRank& rank);
void importDebugModeJson(ByteSource& source, ImportedRank& rank);

}  // namespace shardlens
