#pragma once

#include "core/trace/journal/journal.h"

#include <optional>
#include <string>
#include <vector>

namespace shardlens::view {

// A collective that some ranks of its groups did not call, in a run of several processes.
struct CollectiveWait {
  std::vector<int> waiting;  // ranks that are still in it, ascending; empty if all have returned
  std::vector<int> missing;  // ranks that did not call it, ascending
  std::int64_t since = 0;    // earliest start of a waiting rank, in ns on its clock
  // The collective that the first missing rank called with the same group and sequence number,
  // within 256 events of this one. "" if none was found.
  std::string instead;
};

// Returns nullopt if no rank is missing, or if the event is not a collective.
std::optional<CollectiveWait> collectiveWait(const Journal& journal, EventId id);

// "ranks 0, 1 have waited for rank 2 since 1.4 ms after the start", "without rank 2, which called
// all_gather"
std::string waitText(const CollectiveWait& wait);
// The same for a place with little room: "ranks 0, 1 wait for rank 2".
std::string waitNote(const CollectiveWait& wait);

}  // namespace shardlens::view
