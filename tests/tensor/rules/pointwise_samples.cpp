#include "tests/tensor/rules/samples.h"

namespace shardlens {

std::vector<Sample> pointwiseSamples() {
  const auto a = wholeNumbers({5, 4});
  const auto b = wholeNumbers({5, 4}, 1);
  const auto row = wholeNumbers({4}, 2);
  const auto column = wholeNumbers({5, 1}, 3);
  return {
      sampleOf("add.Tensor", a, b, [](auto& x, auto& y) { return x + y; }),
      sampleOf("add.Scalar", a, [](auto& x) { return x + 24; }),
      sampleOf("add.Tensor a row", a, row, [](auto& x, auto& y) { return x + y; }),
      sampleOf("sub.Tensor a column", a, column, [](auto& x, auto& y) { return x - y; }),
      sampleOf("mul.Tensor", a, b, [](auto& x, auto& y) { return x * y; }),
      sampleOf("mul.Scalar", a, [](auto& x) { return x * 3; }),
      sampleOf("div.Scalar", a, [](auto& x) { return x / 4; }),
      sampleOf("neg", a, [](auto& x) { return -x; }),
      sampleOf("relu", a, [](auto& x) { return at::relu(x); }),
      sampleOf("abs", a, [](auto& x) { return x.abs(); }),
      sampleOf("gt.Tensor", a, b, [](auto& x, auto& y) { return x.gt(y); }),
      sampleOf("maximum", a, b, [](auto& x, auto& y) { return at::maximum(x, y); }),
      {"_foreach_add_.Tensor",
       {a, b, wholeNumbers({}, 1)},
       [](const Sample::Tensors& t) {
         Sample::Tensors written{t[0], t[1]};
         at::_foreach_add_(written, t[2]);
         return written;
       }},
      sampleOf("where.self", a, b, [](auto& x, auto& y) { return at::where(x > y, x, y); }),
  };
}

}  // namespace shardlens
