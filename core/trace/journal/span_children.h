#pragma once

#include "core/trace/journal/journal.h"

#include <vector>

namespace shardlens {

// The events directly inside a span.
struct SpanChildren {
  std::vector<EventId> events;
  EventId end = 0;  // the last event searched that is inside the span
};

// Returns the events among (after, last] whose parent is `span`; 0: events without a parent.
// Stops at the first event outside the span. In an imported recording, events of other threads may
// separate those of a span, so if `after` is the span, the search stops at its end in time.
SpanChildren childrenOf(const Journal& journal, EventId span, EventId after, EventId last);

// Returns true if an event among (span, last] is directly inside the span, which must not be 0.
// Reads one event; in an imported recording, those until the first child or the end of the span.
bool hasChildren(const Journal& journal, EventId span, EventId last);

// Returns the events among (span, last] that are inside the span, which must not be 0, at any
// depth. Ends as childrenOf() does.
std::vector<EventId> insideOf(const Journal& journal, EventId span, EventId last);

}  // namespace shardlens
