#include "core/tensor/composed/gather_gradient.h"

#include "core/tensor/dtensor.h"

#include <ATen/ATen.h>
#include <ATen/ops/gather_backward_native.h>
#include <torch/library.h>

namespace shardlens {
namespace {

at::Tensor gatherGradient(const at::Tensor& gradient, const at::Tensor& self, std::int64_t dim,
                          const at::Tensor& index, bool isSparse) {
  if (isSparse || !isDTensor(gradient)) {
    return at::native::gather_backward(gradient, self, dim, index, isSparse);
  }
  return gradient.new_zeros(self.sizes()).scatter_add(dim, index, gradient);
}

}  // namespace

void registerGatherGradient() {
  static torch::Library differentiated(torch::Library::IMPL, "aten",
                                       c10::DispatchKey::AutogradPrivateUse1, __FILE__, __LINE__);
  static torch::Library inference(torch::Library::IMPL, "aten", c10::DispatchKey::PrivateUse1,
                                  __FILE__, __LINE__);
  for (auto* library : {&differentiated, &inference}) {
    library->impl("gather_backward", TORCH_FN(gatherGradient));
  }
}

}  // namespace shardlens
