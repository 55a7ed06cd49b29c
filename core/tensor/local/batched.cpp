#include "core/tensor/local/expect.h"
#include "core/tensor/local/families.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

// Throws on all ranks if the algorithm fails on one, for example because it does not converge.
LocalResult decomposed(const LocalCall& call) {
  return allOrNone(call, [&] { return runPlain(call); });
}

// libtorch would report an internal error for some singular matrices.
LocalResult ldlFactors(const LocalCall& call) {
  constexpr std::size_t kChecks = 2, kInfo = 2;
  if (!call.args[kChecks].toBool()) return runPlain(call);
  return allOrNone(call, [&] {
    return collected(call, [&](std::size_t i) {
      auto stack = call.arguments(i);
      stack[kChecks] = false;
      call.op.callBoxed(&stack);
      TORCH_CHECK(
          stack[kInfo].toTensor().eq(0).all().item<bool>(),
          "aten.linalg_ldl_factor_ex: got a singular matrix, expected one that has factors");
      return stack;
    });
  });
}

void checkErrorCodes(at::ArrayRef<c10::IValue> /*args*/, const std::vector<at::Tensor>& inputs) {
  expectDType("aten._linalg_check_errors: info", inputs[0], at::kInt);
}

// grad, self, p, pdist: one value for each pair of rows.
void checkPairs(at::ArrayRef<c10::IValue> /*args*/, const std::vector<at::Tensor>& inputs) {
  const std::string name = "aten._pdist_backward";
  expectDims(name + ": self", inputs[1], 2);
  const auto rows = inputs[1].size(0);
  for (const std::size_t i : {0, 2}) {
    expectShape(name + (i == 0 ? ": grad" : ": pdist"), inputs[i], {rows * (rows - 1) / 2});
    expectDType(name + (i == 0 ? ": grad" : ": pdist"), inputs[i], inputs[1].scalar_type());
  }
}

// grad, x1, x2, p, cdist: one value for each row of x1 and each row of x2.
void checkDistances(at::ArrayRef<c10::IValue> /*args*/, const std::vector<at::Tensor>& inputs) {
  const std::string name = "aten._cdist_backward";
  const auto &x1 = inputs[1], &x2 = inputs[2];
  if (x1.dim() < 2) expectDims(name + ": x1", x1, 2);
  expectDims(name + ": x2", x2, x1.dim());
  auto shape = x1.sizes().vec();
  shape[shape.size() - 2] = x2.size(-2);
  expectShape(name + ": x2", x2, shape);
  shape[shape.size() - 2] = x1.size(-2);
  shape.back() = x2.size(-2);
  for (const std::size_t i : {0, 3}) {
    expectShape(name + (i == 0 ? ": grad" : ": cdist"), inputs[i], shape);
  }
  for (const auto& input : inputs) expectDType(name, input, x1.scalar_type());
}

}  // namespace

std::vector<NamedKernel> batchedKernels() {
  std::vector<NamedKernel> kernels{{"aten._linalg_check_errors", {.check = checkErrorCodes}},
                                   {"aten._cdist_backward", {.check = checkDistances}},
                                   {"aten._pdist_backward", {.check = checkPairs}},
                                   {"aten.linalg_ldl_factor_ex", {.run = ldlFactors}}};
  for (const auto* name :
       {"aten._linalg_eigh", "aten._linalg_eigvals", "aten._linalg_svd", "aten.linalg_matrix_sqrth",
        "aten.linalg_pinv.atol_rtol_tensor", "aten.linalg_polar"}) {
    kernels.push_back({name, {.run = decomposed}});
  }
  return kernels;
}

}  // namespace shardlens
