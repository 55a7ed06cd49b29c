#pragma once

#include "core/trace/journal/journal.h"

#include <string>

namespace shardlens {

// Returns the key of the cache entry that the miss `made` created, as text; empty for 0 or if not
// recorded.
std::string cacheKey(const Journal& journal, EventId made);

}  // namespace shardlens
