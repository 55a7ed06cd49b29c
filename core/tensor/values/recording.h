#pragma once

#include "core/comm/communicator.h"
#include "core/trace/journal/recorder.h"

#include <string>

namespace shardlens {

// Captures what each hosted rank holds of a tensor at an event, at the recorder's level.
void recordValues(Recorder& recorder, EventId event, TensorId tensor, const Buffers& locals,
                  const std::vector<int>& ranks);

// Masks are ranks' bits side by side: of the hosted ranks' common shape, without placements.
TensorId addMaskRecord(Recorder& recorder, const std::string& name, const Buffers& masks);

}  // namespace shardlens
