#pragma once

#include "core/trace/journal/journal.h"

#include <memory>
#include <string_view>
#include <vector>

namespace shardlens {

// The ranks whose process ended without closing its recording, ascending. ProblemSearch shares the
// list with its rules and may change it. Never null.
using LostRanks = std::shared_ptr<const std::vector<int>>;

// How the recording of a rank of a run ends so far.
struct RankEnd {
  EventId last = 0;   // its newest event; 0: none
  EventId call = 0;   // its newest event that is not an Error; 0: none
  EventId error = 0;  // `last` if it is an Error; else 0
  // If `call` is a collective: the recorded ranks of the rank's group that did not call it.
  std::vector<int> missing = {};
};
RankEnd endOf(const Journal& journal, int rank);
// Returns the event with which the rank of a run stopped that stopped first: the error that it
// raised; else the last call of a rank that did not call the collective in which another one
// failed. 0 if unknown, and for a journal of one process or an imported one. If several ranks
// raised errors, prefers those that did not wait for another rank, and then the first event.
EventId firstStopOf(const Journal& journal);

// Returns true if the rank raised the error with which its recording ends: neither one that a rank
// raises because a peer has gone or does not come, nor an exit.
bool hasRaised(const Journal& journal, const RankEnd& end);

// Return true for messages of these errors: Gloo or NCCL lost the connection to a peer; a
// collective timed out; Python leaves the program.
bool isOfLostPeer(std::string_view message);
bool isOfTimeout(std::string_view message);
bool isOfExit(std::string_view message);

}  // namespace shardlens
