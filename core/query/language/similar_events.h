#pragma once

#include "core/trace/journal/journal.h"

#include <string>

namespace shardlens {

// Returns a query for events like this one, by kind and name or by what distinguishes its kind:
// "kind:collective name:all_reduce", "kind:cache cache:strategy cache:miss".
std::string similarEvents(const Journal& journal, EventId id);

}  // namespace shardlens
