#pragma once

#include "core/trace/journal/open_blocks.h"

#include <cstddef>
#include <span>
#include <vector>

namespace shardlens {

// A block of events as a journal keeps it in memory and a recording in its file: in columns,
// compressed (FORMAT.md, "A block").
std::vector<std::byte> packEvents(const EventBlock& block);

// The other way: the events from `first` on, as many as `into` has room for. False where the bytes
// are not those of so many.
bool unpackEvents(std::span<const std::byte> packed, EventId first, EventBlock& into);

}  // namespace shardlens
