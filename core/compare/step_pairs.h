#pragma once

#include "core/trace/journal/journal.h"

#include <vector>

namespace shardlens {

// A step of a recording: an event that is inside no other, and those after it up to the next such.
struct StepRange {
  EventId first = 0;
  EventId last = 0;
  explicit operator bool() const { return first != 0; }
  bool operator==(const StepRange&) const = default;
};

std::vector<StepRange> stepsOf(const Journal& journal);

// The same step of two recordings; one of them is not there where only the other has it.
struct StepPair {
  StepRange left = {};
  StepRange right = {};
  bool operator==(const StepPair&) const = default;
};

// All steps of both in order. Those with the same text are the same; between them, those that call
// the same, whatever the tensors are called.
std::vector<StepPair> pairSteps(const Journal& left, const Journal& right);

}  // namespace shardlens
