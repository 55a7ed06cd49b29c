#pragma once

#include "core/trace/journal/recorder.h"

namespace shardlens {

// Step 0 makes x, step 1 adds it to itself and gathers the sum y, on two ranks: with reasons, a
// plan, a collective, and the values that are captured.
void recordSampleStep(Recorder& recorder, const Capture& capture = CaptureLevel::All);

}  // namespace shardlens
