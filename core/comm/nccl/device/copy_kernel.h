#pragma once

#include "core/comm/nccl/device/buffers.h"

namespace shardlens {

// Returns the kernel for NcclHooks::copyBlocks. Empty in a build without CUDA kernels.
LocalCopy copyKernel();

}  // namespace shardlens
