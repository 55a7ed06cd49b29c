#include "core/comm/nccl/device/copy_kernel.h"

#include "shardlens_gpu_build.h"

#ifdef SHARDLENS_WITH_CUDA
#include "kernels/cuda/copy.h"
#endif

namespace shardlens {

LocalCopy copyKernel() {
#ifdef SHARDLENS_WITH_CUDA
  return [](const std::vector<BlockCopy>& copies, cudaStream_t stream) {
    std::vector<kernels::cuda::StridedPiece> pieces;
    pieces.reserve(copies.size());
    for (const auto& [to, from, bytes] : copies) {
      const std::int64_t sizes[] = {bytes};
      const std::int64_t strides[] = {1};
      pieces.push_back({kernels::StridedCopy(sizes, 1, strides, strides), to, from});
    }
    kernels::cuda::copyPieces(pieces, stream);
  };
#else
  return {};
#endif
}

}  // namespace shardlens
