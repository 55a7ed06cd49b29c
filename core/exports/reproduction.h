#pragma once

#include "core/base/result.h"
#include "core/trace/journal/journal.h"

#include <string>

namespace shardlens {

// A script that reproduces a step on PyTorch's DTensor, alone with PyTorch and under torchrun: it
// makes what the step reads from the recorded shards, calls what the step calls, and compares with
// what the recording says that each rank held. A gradient is reproduced with all steps before it.
// Refuses, by name, what DTensor cannot do or the recording does not have.
Result<std::string> pytorchScript(const Journal& journal, int step);

}  // namespace shardlens
