#pragma once

#include "core/base/result.h"
#include "core/trace/journal/journal.h"

#include <vector>

namespace shardlens {

// The events of one step of the program, which are consecutive in a recording.
struct StepEvents {
  int step = 0;       // its index
  EventId first = 0;  // the first event of the step: its Step event, if that was recorded
  EventId last = 0;
};
// Scans all events. `step` is an index. Returns an error if the recording does not have the step.
Result<StepEvents> stepEvents(const Journal& journal, int step);

// The tensors of a step, each once, in the order in which its events name them.
struct StepTensors {
  std::vector<TensorId> read = {};  // existed before the step
  std::vector<TensorId> made = {};
};
StepTensors stepTensors(const Journal& journal, const StepEvents& events);

}  // namespace shardlens
