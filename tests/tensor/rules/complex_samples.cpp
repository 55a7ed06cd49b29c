#include "tests/tensor/rules/samples.h"

namespace shardlens {
namespace {

at::Tensor complexNumbers(at::IntArrayRef shape, int seed = 0) {
  return at::complex(wholeNumbers(shape, seed), wholeNumbers(shape, seed + 1));
}

std::vector<Sample> ofParts() {
  const auto z = complexNumbers({3, 5});
  return {
      sampleOf("conj", z, [](auto& x) { return x.conj() + 0; }),
      sampleOf("_conj as it is", z, [](auto& x) { return at::_conj(x); }),
      sampleOf("_conj_physical", z, [](auto& x) { return at::_conj_physical(x); }),
      sampleOf("_neg_view", z, [](auto& x) { return at::_neg_view(x); }),
      sampleOf("view_as_real", z, [](auto& x) { return at::view_as_real(x); }),
      sampleOf("view_as_complex", wholeNumbers({3, 5, 2}),
               [](auto& x) { return at::view_as_complex(x); }),
      sampleOf("view_as_complex of one", wholeNumbers({2}),
               [](auto& x) { return at::view_as_complex(x); }),
      sampleOf("real", z, [](auto& x) { return at::real(x).clone(); }),
      sampleOf("imag", z, [](auto& x) { return at::imag(x).clone(); }),
      sampleOf("complex", wholeNumbers({3, 5}), wholeNumbers({3, 5}, 2),
               [](auto& a, auto& b) { return at::complex(a, b); }),
      sampleOf("complex of a row", wholeNumbers({3, 5}), wholeNumbers({5}, 2),
               [](auto& a, auto& b) { return at::complex(a, b); }),
      nearly(sampleOf("polar", wholeNumbers({3, 5}).abs(), wholeNumbers({3, 5}, 2),
                      [](auto& a, auto& b) { return at::polar(a, b); })),
      nearly(sampleOf("angle", z, [](auto& x) { return at::angle(x); })),
      nearly(sampleOf("abs complex", z, [](auto& x) { return at::abs(x); })),
      nearly(sampleOf("sgn complex", z, [](auto& x) { return at::sgn(x); })),
  };
}

std::vector<Sample> computedWith() {
  const auto z = complexNumbers({3, 5}), w = complexNumbers({3, 5}, 3);
  return {
      sampleOf("add complex", z, w, [](auto& a, auto& b) { return a + b; }),
      sampleOf("add a real", z, wholeNumbers({3, 5}, 4), [](auto& a, auto& b) { return a + b; }),
      sampleOf("mul complex", z, w, [](auto& a, auto& b) { return a * b; }),
      nearly(sampleOf("div complex", z, w + 1, [](auto& a, auto& b) { return a / b; })),
      nearly(sampleOf("mm complex", z, complexNumbers({5, 4}, 3),
                      [](auto& a, auto& b) { return a.mm(b); })),
      nearly(sampleOf("vdot complex", complexNumbers({6}), complexNumbers({6}, 3),
                      [](auto& a, auto& b) { return at::vdot(a, b); })),
      sampleOf("to complex", wholeNumbers({3, 5}), [](auto& x) { return x.to(at::kComplexFloat); }),
      sampleOf("to complex128", z, [](auto& x) { return x.to(at::kComplexDouble); }),
      sampleOf("sum complex", z, [](auto& x) { return x.sum(0); }),
      nearly(sampleOf("mean complex", z, [](auto& x) { return x.mean({1}, true); })),
      nearly(sampleOf("prod complex", z.div(36), [](auto& x) { return x.prod(0); })),
      nearly(sampleOf("var complex", z, [](auto& x) { return x.var({0}, true); })),
      nearly(sampleOf("linalg_vector_norm complex", z,
                      [](auto& x) { return at::linalg_vector_norm(x, 2, {0}); })),
      sampleOf("cumsum complex", z, [](auto& x) { return x.cumsum(0); }),
  };
}

}  // namespace

std::vector<Sample> complexSamples() {
  auto all = ofParts();
  for (auto& sample : computedWith()) all.push_back(std::move(sample));
  const auto matrices = wholeNumbers({5, 3, 3}).div(72);
  all.push_back(
      nearly(sampleOf("linalg_eigvals", matrices, [](auto& x) { return at::linalg_eigvals(x); })));
  return all;
}

}  // namespace shardlens
