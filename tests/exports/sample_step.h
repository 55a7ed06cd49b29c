#pragma once

#include "core/trace/journal/recorder.h"

namespace shardlens {

// Step 0 makes x, step 1 adds it to itself and gathers the sum y, on two ranks: with reasons, a
// plan, a collective, and the values of all but rank 1's shard of y, of which it has statistics.
void recordSampleStep(Recorder& recorder);

}  // namespace shardlens
