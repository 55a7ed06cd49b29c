#pragma once

#include "tests/comm/backends.h"

namespace shardlens {

// Ranks that NCCL connects: over fakes of NCCL and CUDA, each with a GPU of its own, two on one, or
// sharing GPUs that reduce for them; and on the GPUs of this machine, where it has some.
std::vector<Backend> ncclBackends();

}  // namespace shardlens
