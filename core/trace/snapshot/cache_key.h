#pragma once

#include "core/trace/journal/journal.h"

#include <string>

namespace shardlens {

// Returns the key of the cache entry that the miss `made` created: the texts of its fields, joined
// with ", ". Empty if `made` is 0, an event of another kind, or its key was not recorded. Otherwise
// `made` must be an event of the journal.
std::string cacheKey(const Journal& journal, EventId made);

}  // namespace shardlens
