#include "core/memory/gpu_scope.h"

#include <ATen/ATen.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace shardlens {

kernels::cuda::Stream currentStream(at::Device gpu) {
  const c10::Stream current = c10::impl::VirtualGuardImpl(gpu.type()).getStream(gpu);
  // torch's default stream is CUDA's default stream, which is null here.
  if (current.id() == 0) return nullptr;
  return static_cast<kernels::cuda::Stream>(current.native_handle());
}

GpuScope::GpuScope(const at::Tensor& tensor)
    : guard_(tensor.device()), stream_(currentStream(tensor.device())) {}

bool isPlainOnGpu(const at::Tensor& tensor) {
  return tensor.is_cuda() && tensor.layout() == at::kStrided && !tensor.is_conj() &&
         !tensor.is_neg() && tensor.has_storage() &&
         !tensor.key_set().has(c10::DispatchKey::PrivateUse1);
}

}  // namespace shardlens
