#pragma once

#include "core/trace/journal/journal.h"

#include <span>

namespace shardlens {

inline constexpr EventId kFormat1BlockEvents = 1000;
static_assert(kFormat1BlockEvents <= kBlockEvents);

// The events of a block of format 1, as unpackEvents() gives those of today.
bool unpackFormat1(std::span<const std::byte> records, EventId first, EventBlock& into);

// What a recording of format 1 says, as one of today would: its cache entries are known by the
// misses that made them, and what a cache forgot is an event of its own, so that the events after
// it have other ids.
Journal upgradedFromFormat1(const Journal& old);

}  // namespace shardlens
