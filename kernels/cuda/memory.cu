#include "kernels/cuda/memory.h"
#include "kernels/cuda/stream_queue.h"

namespace shardlens::kernels::cuda {

std::int64_t freeMemory() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "free memory");
  return static_cast<std::int64_t>(free);
}

}  // namespace shardlens::kernels::cuda
