#pragma once

#include "core/trace/records/candidates_record.h"
#include "core/trace/records/lookup_record.h"
#include "core/trace/records/mask_buffer_record.h"
#include "core/trace/records/operator_record.h"

#include <string>
#include <string_view>

namespace shardlens::cli {

// Words for what events say. What an older recording, or another program's, leaves out is left out
// of the words.

std::string timesText(int count);                // "once", "3 times"
std::string groupsText(std::string_view ranks);  // "0,1|2,3" -> "{0,1} {2,3}", not all of many
std::string argumentsText(const OperatorRecord& call);    // "(w: f32[10, 3](S(0)))"
std::string missText(const LookupRecord& lookup);         // why a look-up found nothing
std::string chosenText(const CandidatesRecord& record);   // ": S(0), R -> P(sum), sends nothing"
std::string holdersText(const MaskBufferRecord& buffer);  // ", held by y, z"
// The next best candidates, cheapest first: "replicate (each rank receives 90 B), batch (...)".
std::string rivalsText(const CandidatesRecord& record);

}  // namespace shardlens::cli
