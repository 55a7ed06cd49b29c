#pragma once

#include "core/base/result.h"
#include "core/model/event.h"

#include <filesystem>
#include <optional>
#include <string>

namespace shardlens {

// The parameters of a synthetic recording: a training loop on a mesh of one dimension. Its steps
// have operators, cache lookups, redistributions and mask buffers, in the engine's order, but
// nothing is computed. The clock and the choices are deterministic, so equal cases give equal
// events.
struct JournalCase {
  std::string name;
  int ranks = 8;
  std::optional<int> hosted = {};  // the rank that this process hosts; all ranks if empty
  int embeddings = 1;  // per step; each materializes, applies and releases a mask buffer
  int lengths = 1;  // new batch lengths in 100 steps, on average; each misses once in both caches
};

// Writes a recording of whole steps to `path`: at least one step and at least `events` events.
// Returns the number of events. Fails if the file cannot be written.
Result<EventId> recordJournal(const JournalCase& of, EventId events,
                              const std::filesystem::path& path);

}  // namespace shardlens
