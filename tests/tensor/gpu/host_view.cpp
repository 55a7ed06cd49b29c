#include "tests/tensor/gpu/host_view.h"

#include <ATen/ATen.h>

namespace shardlens::fake_cuda {

at::Tensor hostView(const at::Tensor& tensor, Access access) {
  if (!tensor.is_cuda()) return tensor;
  auto& storage = *tensor.storage().unsafeGetStorageImpl();
  void* memory =
      access == Access::Write ? storage.mutable_data() : const_cast<void*>(storage.data());
  c10::Storage view(c10::Storage::use_byte_size_t(), storage.nbytes(),
                    c10::DataPtr(memory, c10::Device(c10::kCPU)), nullptr, /*resizable=*/false);
  auto made = at::detail::make_tensor<c10::TensorImpl>(
      std::move(view), c10::DispatchKeySet(c10::DispatchKey::CPU), tensor.dtype());
  auto* impl = made.unsafeGetTensorImpl();
  impl->set_sizes_and_strides(tensor.sizes(), tensor.strides(), tensor.storage_offset());
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) impl->set_wrapped_number(true);
  return made;
}

}  // namespace shardlens::fake_cuda
