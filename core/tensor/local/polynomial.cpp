// Note [Steps of an element]
// libtorch's orthogonal polynomials take n steps per element, and mvlgamma sums p values. With n =
// 2^63 they would not end. More than about a tenth of a second per element is refused; float32
// cannot count further in steps of one either.

#include "core/base/refusal.h"
#include "core/comm/refuse_together.h"
#include "core/tensor/local/families.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <sstream>

namespace shardlens {
namespace {

constexpr std::int64_t kMostSteps = std::int64_t{1} << 24;

std::string tooMany(const char* name, const at::Scalar& steps) {
  std::ostringstream got;
  got << steps;
  return fmt::format("{}: got {}, expected at most {}: each element takes as many steps", name,
                     got.str(), kMostSteps);
}

void check(const char* name, const c10::IValue& steps) {
  if (!steps.isScalar()) return;
  const at::Scalar number = steps.toScalar();
  if (!number.isComplex() && number.toDouble() > static_cast<double>(kMostSteps)) {
    throw Refusal(tooMany(name, number));
  }
}

void checkDegree(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>&) {
  check("n", args[1]);
}

void checkPolynomial(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>&) {
  check("p", args[1]);
}

// Degrees in a tensor are checked on each rank. Collective.
LocalResult polynomial(const LocalCall& call) {
  if (!call.args[1].isTensor()) return runPlain(call);
  const std::size_t degrees = call.args[0].isTensor() ? 1 : 0;
  std::string wrong;
  for (std::size_t i = 0; i < call.hosted() && wrong.empty(); ++i) {
    const auto& n = call.local(degrees, i);
    const auto large = n.masked_select(n.to(at::kDouble).gt(kMostSteps));
    if (large.numel() > 0) wrong = tooMany("n", large.max().item());
  }
  refuseTogether(call.runtime.comm(), wrong);
  return runPlain(call);
}

std::vector<std::string> polynomialNames() {
  std::vector<std::string> names;
  for (const std::string of :
       {"chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v",
        "chebyshev_polynomial_w", "shifted_chebyshev_polynomial_t",
        "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v",
        "shifted_chebyshev_polynomial_w", "hermite_polynomial_h", "hermite_polynomial_he",
        "laguerre_polynomial_l", "legendre_polynomial_p"}) {
    for (const auto* overload :
         {"", ".out", ".n_scalar", ".n_scalar_out", ".x_scalar", ".x_scalar_out"}) {
      names.push_back("aten.special_" + of + overload);
    }
  }
  return names;
}

}  // namespace

std::vector<NamedKernel> polynomialKernels() {
  static const auto kNames = polynomialNames();
  std::vector<NamedKernel> kernels;
  for (const auto& name : kNames) {
    kernels.push_back({name, {.check = checkDegree, .run = polynomial}});
  }
  for (const auto* name : {"aten.mvlgamma", "aten.mvlgamma_", "aten.mvlgamma.out"}) {
    kernels.push_back({name, {.check = checkPolynomial}});
  }
  return kernels;
}

}  // namespace shardlens
