#pragma once

#include "core/trace/journal/journal.h"

#include <string>

namespace shardlens::view {

// Describes how exactly the times of different ranks can be compared: "one clock for all ranks",
// "2 clocks, compared within 120.0 us", "2 clocks that cannot be compared: waiting is unknown".
// Also "one clock for all ranks" for a recording that is not merged.
std::string clocksText(const Journal& journal);

}  // namespace shardlens::view
