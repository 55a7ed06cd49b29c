#pragma once

#include "core/model/event.h"

#include <cstddef>
#include <span>
#include <vector>

namespace shardlens {

inline constexpr EventId kBlockEvents = 1024;

// Consecutive events as a journal keeps them in memory and a recording in its file: in columns,
// compressed (FORMAT.md, "A block"). `first` is the id of the first of them, at most kBlockEvents.
std::vector<std::byte> packEvents(EventId first, std::span<const Event> events);

// The other way: false where the bytes are not those of so many events.
bool unpackEvents(EventId first, std::span<const std::byte> packed, std::span<Event> events);

}  // namespace shardlens
