#pragma once

#include "core/base/result.h"
#include "core/trace/journal/journal.h"

#include <vector>

namespace shardlens {

// The events of one step of the program, which stand together in a recording.
struct StepEvents {
  int step = 0;
  EventId first = 0;  // the Step itself
  EventId last = 0;
};
// Refuses a step that the recording does not have.
Result<StepEvents> stepEvents(const Journal& journal, int step);

// The tensors that a step has to do with, each once, in the order in which its events name them.
struct StepTensors {
  std::vector<TensorId> read = {};  // that were there before it
  std::vector<TensorId> made = {};
};
StepTensors stepTensors(const Journal& journal, const StepEvents& events);

}  // namespace shardlens
