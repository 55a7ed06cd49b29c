#pragma once

#include "core/trace/journal/journal.h"

namespace shardlens {

// What a recording of format 1 says, as one of today would: its cache entries are known by the
// misses that made them, and what a cache forgot is an event of its own, so that the events after
// it have other ids.
Journal upgradedFromFormat1(const Journal& old);

}  // namespace shardlens
