#include "core/base/refusal.h"
#include "core/tensor/local/families.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

namespace shardlens {
namespace {

// Checked here because no meta function of libtorch checks this.
void checkDot(at::ArrayRef<c10::IValue>, const std::vector<at::Tensor>& inputs) {
  const auto& a = inputs[0];
  const auto& b = inputs[1];
  if (a.dim() == 1 && b.dim() == 1 && a.size(0) == b.size(0) && a.dtype() == b.dtype()) return;
  throw Refusal("aten.dot: got " + std::string(c10::toString(a.scalar_type())) +
                toText(a.sizes().vec()) + " and " + c10::toString(b.scalar_type()) +
                toText(b.sizes().vec()) + ", expected two vectors of one length and dtype");
}

// Throws Refusal if the added tensor has more dimensions than the product; not all meta functions
// check this.
template <std::int64_t kDims>
void checkAdded(at::ArrayRef<c10::IValue>, const std::vector<at::Tensor>& inputs) {
  const auto& added = inputs[0];
  if (added.dim() <= kDims) return;
  throw Refusal(
      fmt::format("self: got shape {}, expected at most {} dimensions, as the product has",
                  toText(added.sizes().vec()), kDims));
}

// self, mat, vec, beta, alpha: for a matrix without columns libtorch returns self without
// broadcasting it.
LocalResult addmv(const LocalCall& call) {
  return collected(call, [&](std::size_t i) {
    const auto& matrix = call.local(1, i);
    if (matrix.size(1) > 0) return call.runPlain(i);
    const auto added = call.local(0, i).mul(call.args[3].toScalar());
    return torch::jit::Stack{added.expand({matrix.size(0)}).clone()};
  });
}

}  // namespace

std::vector<NamedKernel> matmulKernels() {
  return {{"aten.addbmm", {.check = checkAdded<2>}},
          {"aten.addbmm_", {.check = checkAdded<2>}},
          {"aten.addmm", {.check = checkAdded<2>}},
          {"aten.addmm_", {.check = checkAdded<2>}},
          {"aten.addmv", {.check = checkAdded<1>, .run = addmv}},
          {"aten.addmv_", {.check = checkAdded<1>}},
          {"aten.addr", {.check = checkAdded<2>}},
          {"aten.addr_", {.check = checkAdded<2>}},
          {"aten.baddbmm", {.check = checkAdded<3>}},
          {"aten.baddbmm_", {.check = checkAdded<3>}},
          {"aten.dot", {.check = checkDot}},
          {"aten.vdot", {.check = checkDot}}};
}

}  // namespace shardlens
