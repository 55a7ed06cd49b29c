#pragma once

#include <cstdint>

namespace shardlens::kernels::cuda {

// Returns the free memory of the current GPU, in bytes. Throws std::runtime_error on CUDA errors.
std::int64_t freeMemory();

}  // namespace shardlens::kernels::cuda
