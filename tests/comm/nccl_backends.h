#pragma once

#include "tests/comm/backends.h"

namespace shardlens {

// Returns the backends with NCCL. On fakes of NCCL and CUDA: with one rank per GPU, with two, and
// with ranks that share a GPU, which reduces for them. Also the GPUs of this machine, if any.
std::vector<Backend> ncclBackends();

}  // namespace shardlens
