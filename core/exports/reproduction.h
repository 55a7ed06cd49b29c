#pragma once

#include "core/base/result.h"
#include "core/trace/journal/journal.h"

#include <string>

namespace shardlens {

// Returns a Python script that reproduces a step with PyTorch's DTensor. It needs only PyTorch and
// runs under torchrun. The script builds the step's inputs from the recorded shards, makes the
// calls of the step, and compares each rank's result with the recorded shard. For a gradient, it
// also runs all earlier steps. Returns an error that names what DTensor cannot express or the
// recording lacks.
Result<std::string> pytorchScript(const Journal& journal, int step);

}  // namespace shardlens
