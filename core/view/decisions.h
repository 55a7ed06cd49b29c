#pragma once

#include "core/trace/journal/journal.h"

namespace shardlens::view {

// A decision that a recording explains, as seen from a position: which event explains it, and what
// it has to do with the current event. Where nothing was decided for the current event, it is the
// newest decision before it, and `isCurrent` is false.
struct Decision {
  EventId event = 0;    // the Candidates or the Plan; 0: the recording does not have it
  EventId subject = 0;  // the operator or the redistribution it was taken for; 0: there is none
  EventId lookup = 0;   // the look-up that found it in its cache; 0: it was worked out
  bool isCurrent = false;

  EventId when() const { return lookup != 0 ? lookup : event; }
};

// The operator that the current event happens in; outside of operators the redistribution. 0 is
// neither.
EventId currentCall(const Journal& journal, EventId position);
// Whether this event, of the past, happened in it too.
bool isOfCurrentCall(const Journal& journal, EventId event, EventId position);

// `decided`: the newest of them, where a snapshot knows it; none is looked for after it.
Decision strategyDecision(const Journal& journal, EventId position, EventId decided);
Decision planDecision(const Journal& journal, EventId position, EventId decided);
inline Decision strategyDecision(const Journal& journal, EventId position) {
  return strategyDecision(journal, position, position);
}
inline Decision planDecision(const Journal& journal, EventId position) {
  return planDecision(journal, position, position);
}

// The names of the tensors that the current event, and what it happens in, read or are about.
std::vector<std::string> tensorsAround(const Journal& journal, EventId position);

}  // namespace shardlens::view
