#include "core/base/refusal.h"
#include "core/tensor/local/families.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

// Computes the values at once instead of setting libtorch's lazy flag, because our kernels read
// bytes.
template <at::Tensor (*made)(const at::Tensor&)>
LocalResult madeAtOnce(const LocalCall& call) {
  return collected(call, [&](std::size_t i) { return torch::jit::Stack{made(call.local(0, i))}; });
}

void checkComplex(at::ArrayRef<c10::IValue>, const std::vector<at::Tensor>& inputs) {
  if (inputs[0].is_complex()) return;
  throw Refusal(std::string("aten._conj: got ") + c10::toString(inputs[0].scalar_type()) +
                ", expected complex64 or complex128");
}

at::Tensor conjugate(const at::Tensor& part) { return part.conj().resolve_conj(); }
at::Tensor negative(const at::Tensor& part) { return part.neg(); }

}  // namespace

std::vector<NamedKernel> complexKernels() {
  return {{"aten._conj", {.check = checkComplex, .run = madeAtOnce<conjugate>}},
          {"aten._conj_copy", {.check = checkComplex, .run = madeAtOnce<conjugate>}},
          {"aten._neg_view", {.run = madeAtOnce<negative>}}};
}

}  // namespace shardlens
