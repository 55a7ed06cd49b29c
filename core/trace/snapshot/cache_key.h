#pragma once

#include "core/trace/journal/journal.h"

#include <string>

namespace shardlens {

// Returns the key of the cache entry that the miss `made` created, as text; empty if `made` is 0 or
// the key was not recorded. `made` must be an event of the journal.
std::string cacheKey(const Journal& journal, EventId made);

}  // namespace shardlens
