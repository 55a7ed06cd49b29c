#pragma once

#include "core/imports/imported_rank.h"
#include "core/imports/input/byte_source.h"

namespace shardlens {

// Import one rank's output of PyTorch's DebugMode, as text (debug_string) or as JSON (save_logs,
// version 1). They add operators, implicit and explicit redistributions with placements, and
// collectives with bytes. Placements become Candidates events that list the chosen strategy only.
// Throw BadDump; the text form also if it contains no call.
void importDebugModeText(ByteSource& source, ImportedRank& rank);
void importDebugModeJson(ByteSource& source, ImportedRank& rank);

}  // namespace shardlens
