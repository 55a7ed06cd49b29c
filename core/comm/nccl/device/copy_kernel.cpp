#include "core/comm/nccl/device/copy_kernel.h"

#include "shardlens_gpu_build.h"

namespace shardlens {

LocalCopy copyKernel() {
#ifdef SHARDLENS_WITH_CUDA
  return [](const std::vector<BlockCopy>& copies, cudaStream_t stream) {
    kernels::cuda::copyBlocks(copies, stream);
  };
#else
  return {};
#endif
}

}  // namespace shardlens
