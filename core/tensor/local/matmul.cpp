#include "core/tensor/local/families.h"
#include "core/tensor/refusal.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

// libtorch has no meta function for these that would refuse it.
void checkDot(at::ArrayRef<c10::IValue>, const std::vector<at::Tensor>& inputs) {
  const auto& a = inputs[0];
  const auto& b = inputs[1];
  if (a.dim() == 1 && b.dim() == 1 && a.size(0) == b.size(0) && a.dtype() == b.dtype()) return;
  throw Refusal("aten.dot: got " + std::string(c10::toString(a.scalar_type())) +
                toText(a.sizes().vec()) + " and " + c10::toString(b.scalar_type()) +
                toText(b.sizes().vec()) + ", expected two vectors of one length and dtype");
}

}  // namespace

std::vector<NamedKernel> matmulKernels() {
  return {{"aten.dot", {.check = checkDot}}, {"aten.vdot", {.check = checkDot}}};
}

}  // namespace shardlens
