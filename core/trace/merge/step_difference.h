#pragma once

#include "core/trace/journal/journal.h"

#include <optional>
#include <utility>

namespace shardlens {

// The events of a step in one process.
struct StepOfProcess {
  const Journal& journal;
  EventId first;
  EventId end;   // after the last one
  bool isWhole;  // the process records no more events in the step
};

// Returns the first events, at the same place in both processes, that the other process does not
// have in its step. nullopt if only one process has events that the other does not have, or if
// events that are not recorded yet may decide. Linear in the events.
std::optional<std::pair<EventId, EventId>> stepDifference(const StepOfProcess& a,
                                                          const StepOfProcess& b);

}  // namespace shardlens
