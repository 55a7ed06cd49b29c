#pragma once

#include "core/trace/journal/journal.h"

#include <string>

namespace shardlens {

// A query that asks for events like this one: of its kind and its name, or of what tells its kind
// apart. "kind:collective name:all_reduce", "kind:cache cache:strategy cache:miss"
std::string similarEvents(const Journal& journal, EventId id);

}  // namespace shardlens
