#pragma once

#include "core/trace/journal/journal.h"
#include "core/view/words/placement_words.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace shardlens::cli {

// An event as a tab-separated line below kEventHeading, and as a JSON object.
inline constexpr auto kEventHeading = "event\tstep\tline\tkind\twhat\tnote\n";
std::string eventRow(const Journal& journal, EventId id);
nlohmann::ordered_json eventJson(const Journal& journal, EventId id,
                                 view::Notation notation = view::Notation::DTensor);

}  // namespace shardlens::cli
