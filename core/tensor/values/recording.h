#pragma once

#include "core/comm/communicator.h"
#include "core/trace/recorder/recorder.h"

#include <string>

namespace shardlens {

// Records the local value of each hosted rank at an event, at the recorder's capture level.
// `locals[i]` belongs to `ranks[i]`. Skips ranks that are not captured, and locals without data.
// Copies locals from a GPU and blocks until they have arrived. Locals with equal bytes in a row
// share one content. Throws CheckFailed if the recorder has sinks and does not know the tensor.
void recordValues(Recorder& recorder, EventId event, TensorId tensor, const Buffers& locals,
                  const std::vector<int>& ranks);

// Adds a bool tensor for a mask to the recording and returns its id. Its shape is the local mask's;
// it has no placements, because masks are local to each rank. Without masks the shape is [].
TensorId addMaskRecord(Recorder& recorder, const std::string& name, const Buffers& masks);

}  // namespace shardlens
