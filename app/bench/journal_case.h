#pragma once

#include "core/base/result.h"
#include "core/model/event.h"

#include <filesystem>
#include <optional>
#include <string>

namespace shardlens {

// A training loop on a mesh of one dimension, recorded without being run: its steps' operators,
// look-ups, redistributions and mask buffers, told in the order in which the engine tells them.
// Time passes by a clock of its own, so that the events are the same each time.
struct JournalCase {
  std::string name;
  int ranks = 8;
  std::optional<int> hosted = {};  // the rank of this process; all of them where left out
  int embeddings = 1;  // of a step: each makes a mask buffer, applies it and releases it
  int lengths = 1;     // of batches that are new, in 100 steps: both caches miss once for each
};

// Records whole steps, one at least, until there are so many events. Gives how many there are then.
Result<EventId> recordJournal(const JournalCase& of, EventId events,
                              const std::filesystem::path& path);

}  // namespace shardlens
