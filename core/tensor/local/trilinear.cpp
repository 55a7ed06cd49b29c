#include "core/base/refusal.h"
#include "core/tensor/local/families.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <set>

namespace shardlens {
namespace {

// i1, i2, i3, expand1, expand2, expand3, sumdim, unroll_dim
void checkTrilinear(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs) {
  const std::string name = "aten._trilinear";
  const auto lacking = [&](std::size_t input) { return args[3 + input].toIntVector(); };
  const auto dims = inputs[0].dim() + static_cast<std::int64_t>(lacking(0).size());
  const auto expectDimsBelow = [&](const char* what, const std::vector<std::int64_t>& list) {
    std::set<std::int64_t> seen;
    for (const auto dim : list) {
      if (dim >= 0 && dim < dims && seen.insert(dim).second) continue;
      throw Refusal(fmt::format("{}: {}: got {}, expected each of 0 to {} at most once", name, what,
                                dim, dims - 1));
    }
  };
  for (const std::size_t input : {0, 1, 2}) {
    const auto own = inputs[input].dim() + static_cast<std::int64_t>(lacking(input).size());
    if (own != dims) {
      throw Refusal(fmt::format("{}: got {} dimensions with those of expand{}, expected {}", name,
                                own, input + 1, dims));
    }
    expectDimsBelow("expand", lacking(input));
  }
  expectDimsBelow("sumdim", args[6].toIntVector());
  expectDimsBelow("unroll_dim", {args[7].toInt()});
}

}  // namespace

std::vector<NamedKernel> trilinearKernels() {
  return {{"aten._trilinear", {.check = checkTrilinear}}};
}

}  // namespace shardlens
