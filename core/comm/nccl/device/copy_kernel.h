#pragma once

#include "core/comm/nccl/device/buffers.h"

namespace shardlens {

// Returns the kernel for NcclHooks::copyBlocks, which enqueues the copies and does not wait. The
// stream must be of the current device. Empty in a build without CUDA kernels.
LocalCopy copyKernel();

}  // namespace shardlens
