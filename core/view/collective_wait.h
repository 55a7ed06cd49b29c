#pragma once

#include "core/trace/journal/journal.h"

#include <optional>
#include <string>
#include <vector>

namespace shardlens::view {

// Of a run of several processes: a collective to which some ranks of its groups did not come.
struct CollectiveWait {
  std::vector<int> waiting;  // those in it that have not left it; none where all have given up
  std::vector<int> missing;  // for whom they wait, or did
  std::int64_t since = 0;  // when the first of them came, in nanoseconds by its own clock
  // What the missing ones called in its place: the same number in the process group has another
  // name there. Empty where they called nothing.
  std::string instead;
};

// None where all came, or the event is no collective.
std::optional<CollectiveWait> collectiveWait(const Journal& journal, EventId id);

// "ranks 0, 1 wait for rank 2 since 1.4 ms", "without rank 2, which called all_gather"
std::string waitText(const CollectiveWait& wait);

}  // namespace shardlens::view
