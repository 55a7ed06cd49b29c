#pragma once

#include "core/trace/journal/journal.h"

#include <vector>

namespace shardlens {

// A step of a recording: an event without a parent, and the events up to the next such event.
// `first` and `last` are inclusive. False if there is no step.
struct StepRange {
  EventId first = 0;
  EventId last = 0;
  explicit operator bool() const { return first != 0; }
  bool operator==(const StepRange&) const = default;
};

// Returns the steps of a journal, in order. Reads every event.
std::vector<StepRange> stepsOf(const Journal& journal);

// A step in two recordings. One side is empty if only the other recording has the step.
struct StepPair {
  StepRange left = {};
  StepRange right = {};
  bool operator==(const StepPair&) const = default;
};

// Returns all steps of both recordings, in order. Pairs steps with the same text; between them,
// steps with the same call, ignoring tensor names.
std::vector<StepPair> pairSteps(const Journal& left, const Journal& right);

}  // namespace shardlens
