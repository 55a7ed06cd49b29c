#include "core/memory/copies_on_gpu.h"

#include "core/memory/gpu_scope.h"
#include "core/memory/strided_copy.h"
#include "kernels/cuda/copy.h"
#include "shardlens_gpu_build.h"

#include <ATen/ATen.h>

namespace shardlens {

#ifdef SHARDLENS_WITH_CUDA

bool CopiesOnGpu::add(const at::Tensor& to, const at::Tensor& from) {
  if (!isPlainOnGpu(to) || !isPlainOnGpu(from) || to.device() != from.device()) return false;
  if (!copyBetween(to, from).isPossible()) return false;
  copies_[to.device().index()].push_back({to, from});
  return true;
}

void CopiesOnGpu::run() const {
  for (const auto& [device, copies] : copies_) {
    std::vector<kernels::cuda::StridedPiece> pieces;
    pieces.reserve(copies.size());
    for (const auto& [to, from] : copies) {
      pieces.push_back({copyBetween(to, from), to.mutable_data_ptr(), from.const_data_ptr()});
    }
    const GpuScope gpu(copies.front().to);
    kernels::cuda::copyPieces(pieces, gpu.stream());
  }
}

#else

bool CopiesOnGpu::add(const at::Tensor&, const at::Tensor&) { return false; }
void CopiesOnGpu::run() const {}

#endif

}  // namespace shardlens
