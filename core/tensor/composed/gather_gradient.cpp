#include "core/tensor/composed/gather_gradient.h"

#include "core/tensor/composed/register_composed.h"
#include "core/tensor/dtensor.h"

#include <ATen/ATen.h>
#include <ATen/ops/gather_backward_native.h>

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

void registerGatherGradient() { registerComposed("gather_backward", TORCH_FN(gatherGradient)); }

}  // namespace shardlens
