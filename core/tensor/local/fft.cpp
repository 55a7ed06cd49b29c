#include "core/base/refusal.h"
#include "core/tensor/local/expect.h"
#include "core/tensor/local/families.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <set>

namespace shardlens {
namespace {

using Args = at::ArrayRef<c10::IValue>;
using Tensors = std::vector<at::Tensor>;

// self, dim, normalization, ...: checks what libtorch's public functions check before these
// operators.
std::vector<std::int64_t> checkedDims(const std::string& name, Args args) {
  const auto self = args[0].toTensor();
  auto dims = args[1].toIntVector();
  if (dims.empty()) throw Refusal(name + ": dim: got none, expected at least one");
  std::set<std::int64_t> seen;
  for (auto& dim : dims) {
    if (dim < -self.dim() || dim >= self.dim()) {
      throw Refusal(
          fmt::format("{}: dim: got {} of a tensor of {} dimensions", name, dim, self.dim()));
    }
    if (dim < 0) dim += self.dim();
    if (!seen.insert(dim).second) {
      throw Refusal(fmt::format("{}: dim: got {} twice, expected each once", name, dim));
    }
    if (self.size(dim) == 0) {
      throw Refusal(name + ": Invalid number of data points (0) specified");
    }
  }
  const auto normalization = args[2].toInt();
  if (normalization < 0 || normalization > 2) {
    throw Refusal(
        fmt::format("{}: normalization: got {}, expected 0 (none), 1 (by the root of n) "
                    "or 2 (by n)",
                    name, normalization));
  }
  return dims;
}

void expectParts(const std::string& name, const at::Tensor& self, bool complex) {
  const auto type = self.scalar_type();
  const bool fits = complex ? type == at::kComplexFloat || type == at::kComplexDouble
                            : type == at::kFloat || type == at::kDouble;
  if (fits) return;
  throw Refusal(name + ": got " + c10::toString(type) + ", expected " +
                (complex ? "complex64 or complex128" : "float32 or float64"));
}

void checkToComplex(Args args, const Tensors& inputs) {
  expectParts("aten._fft_c2c", inputs[0], /*complex=*/true);
  checkedDims("aten._fft_c2c", args);
}

void checkOfReal(Args args, const Tensors& inputs) {
  expectParts("aten._fft_r2c", inputs[0], /*complex=*/false);
  checkedDims("aten._fft_r2c", args);
}

void checkToReal(Args args, const Tensors& inputs) {
  const std::string name = "aten._fft_c2r";
  expectParts(name, inputs[0], /*complex=*/true);
  const auto last = checkedDims(name, args).back();
  const auto points = args[3].toInt();
  if (points >= 1 && points / 2 + 1 == inputs[0].size(last)) return;
  throw Refusal(
      fmt::format("{}: last_dim_size: got {}, expected a size of which {} frequencies are "
                  "one half",
                  name, points, inputs[0].size(last)));
}

LocalResult transformed(const LocalCall& call) {
  return collected(call, [&](std::size_t i) {
    auto stack = call.runPlain(i);
    return torch::jit::Stack{stack.front().toTensor().contiguous()};
  });
}

}  // namespace

std::vector<NamedKernel> fftKernels() {
  return {{"aten._fft_c2c", {.check = checkToComplex, .run = transformed}},
          {"aten._fft_c2r", {.check = checkToReal, .run = transformed}},
          {"aten._fft_r2c", {.check = checkOfReal, .run = transformed}}};
}

}  // namespace shardlens
