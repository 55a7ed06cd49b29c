#pragma once

#include "core/trace/journal/journal.h"

#include <span>

namespace shardlens {

// The number of events in a full block of format 1.
inline constexpr EventId kFormat1BlockEvents = 1000;
static_assert(kFormat1BlockEvents <= kBlockEvents);

// As unpackEvents(), for a block of format 1.
bool unpackFormat1(std::span<const std::byte> records, EventId first, EventBlock& into);

// Converts a journal of format 1 to the current format. Cache entries are identified by the misses
// that created them, and evictions become separate events, which shifts the ids of later events.
Journal upgradedFromFormat1(const Journal& old);

}  // namespace shardlens
