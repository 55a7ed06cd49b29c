#pragma once

#include "core/trace/recorder/recorder.h"

namespace shardlens {

// Records a program on two ranks: step 1 creates x, step 2 computes y = x + x and all-gathers it.
// The recording has reasons, a plan, a collective, and the values that `capture` selects.
void recordSampleStep(Recorder& recorder, const Capture& capture = CaptureLevel::All);

}  // namespace shardlens
