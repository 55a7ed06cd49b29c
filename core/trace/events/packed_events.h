#pragma once

#include "core/trace/events/open_blocks.h"

#include <cstddef>
#include <span>
#include <vector>

namespace shardlens {

// Packs a block into compressed columns, as a journal keeps it in memory and a recording in its
// file (FORMAT.md, "A block"). Throws CheckFailed for more than kBlockEvents events. Thread safe.
std::vector<std::byte> packEvents(const EventBlock& block);

// Unpacks events `first`, `first` + 1, ... into `into`. The caller sets the expected number of
// events by resizing into.events. Returns false if `packed` is not a block of that many events;
// `into` is then unspecified. Thread safe.
bool unpackEvents(std::span<const std::byte> packed, EventId first, EventBlock& into);

}  // namespace shardlens
