#pragma once

#include "core/trace/journal/journal.h"

namespace shardlens::view {

// A recorded decision (strategy or plan), as seen from a position. If nothing was decided for the
// current call, it is the newest earlier decision, with isCurrent = false.
struct Decision {
  EventId event = 0;    // the Candidates or Plan event; 0: not recorded
  EventId subject = 0;  // the operator or redistribution it was made for; 0: no decision
  EventId lookup = 0;   // the cache hit that returned it; 0: computed
  bool isCurrent = false;

  // The event at which the decision was used.
  EventId when() const { return lookup != 0 ? lookup : event; }
};

// Returns the innermost operator around the event, else the outermost redistribution around it,
// else 0.
EventId currentCall(const Journal& journal, EventId position);
// Returns true if `event` and `position` are in the same current call.
bool isOfCurrentCall(const Journal& journal, EventId event, EventId position);

// Return the strategy or plan in use at `position`. The search goes backwards from `decided`, at
// most until the beginning. Pass the newest decision if a snapshot knows it, which makes the search
// short.
Decision strategyDecision(const Journal& journal, EventId position, EventId decided);
Decision planDecision(const Journal& journal, EventId position, EventId decided);
inline Decision strategyDecision(const Journal& journal, EventId position) {
  return strategyDecision(journal, position, position);
}
inline Decision planDecision(const Journal& journal, EventId position) {
  return planDecision(journal, position, position);
}

// Returns the names of the tensors that the event and its ancestors read or refer to.
std::vector<std::string> tensorsAround(const Journal& journal, EventId position);

}  // namespace shardlens::view
