#pragma once

#include "core/trace/journal/journal.h"

#include <optional>
#include <string>
#include <vector>

namespace shardlens::view {

// A collective that some ranks of its groups did not call, in a run of several processes.
struct CollectiveWait {
  EventId event = 0;         // the collective
  std::vector<int> waiting;  // ranks that are still in it, ascending; empty if all have returned
  std::vector<int> missing;  // ranks that did not call it, ascending
  std::int64_t since = 0;    // earliest start of a waiting rank, in ns on its clock
  // The collective that the first missing rank called with the same group and sequence number; 0 if
  // none was found within 256 events.
  EventId instead = 0;
  std::vector<int> callers;  // the missing ranks that called `instead`, ascending
};

// Returns nullopt if no rank is missing, or if the event is not a collective.
std::optional<CollectiveWait> collectiveWait(const Journal& journal, EventId id);

// Returns the recorded members that called the collective, ascending.
std::vector<int> callersOf(const Journal& journal, const CollectiveWait& wait);
// Returns the ranks at fault, ascending: the missing ranks, or if they called another collective,
// the callers of the one that fewer ranks called. All callers if as many called each of the two.
std::vector<int> ranksAtFault(const Journal& journal, const CollectiveWait& wait);

// "ranks 0, 1 have waited for rank 2 since 1.4 ms after the start", "without rank 2, which called
// all_gather", "without ranks 2, 3, of which rank 2 called all_gather"
std::string waitText(const Journal& journal, const CollectiveWait& wait);
// The same for a place with little room: "ranks 0, 1 wait for rank 2", or if all missing ranks
// called another collective, "rank 2 called all_gather", "31 ranks called all_gather".
std::string waitNote(const Journal& journal, const CollectiveWait& wait);
// Distinguishes a collective from the other one, called in its place, if both have the same name:
// returns " at train.py:9", or " of 12 B at train.py:9" (the bytes that a rank sends) if the places
// are equal, too. "" if the names tell them apart.
std::string placeOfAlike(const Journal& journal, EventId collective, EventId other);
// Returns what was called instead: "all_gather", or "all_reduce at train.py:9" if both calls have
// one name. "" if unknown.
std::string insteadText(const Journal& journal, const CollectiveWait& wait);

}  // namespace shardlens::view
