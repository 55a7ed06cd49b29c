#pragma once

#include "core/trace/journal/journal.h"
#include "core/view/words/placement_words.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace shardlens::cli {

// An event as a tab-separated line below kEventHeading, newline included and placements in
// DTensor's notation, and as a JSON object. The event must exist. "duration" is null for a running
// span; "bookmark" is missing without one. Both have the number of the event by eventNumber().
inline constexpr auto kEventHeading = "event\tstep\tline\tkind\twhat\tnote\n";
std::string eventRow(const Journal& journal, EventId id);
nlohmann::ordered_json eventJson(const Journal& journal, EventId id,
                                 view::Notation notation = view::Notation::DTensor);
// Returns Journal::numberOf(): an integer, or a text "RANK:ID".
nlohmann::ordered_json eventNumber(const Journal& journal, EventId id);

}  // namespace shardlens::cli
