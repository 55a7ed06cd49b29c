#include "tests/tensor/rules/samples.h"

namespace shardlens {

std::vector<Sample> factorySamples() {
  const auto x = wholeNumbers({5, 4});
  const auto row = wholeNumbers({4}, 1);
  const auto whole = x.to(at::kLong);
  const auto filled = [](auto& t, auto& value) { return t.fill_(value); };
  return {
      sampleOf("zeros_like", x, [](auto& t) { return at::zeros_like(t); }),
      sampleOf("ones_like", x, [](auto& t) { return at::ones_like(t); }),
      sampleOf("full_like", x, [](auto& t) { return at::full_like(t, 12); }),
      sampleOf("empty_like", x, [](auto& t) { return at::empty_like(t).copy_(t); }),
      sampleOf("new_zeros", x,
               [](auto& t) {
                 return t.new_zeros({5, 4});
               }),
      sampleOf("new_ones of another shape", x,
               [](auto& t) {
                 return t.new_ones({3, 2});
               }),
      sampleOf("new_full", x,
               [](auto& t) {
                 return t.new_full({5, 4}, 12);
               }),
      sampleOf("new_empty", x,
               [](auto& t) {
                 return t.new_empty({5, 4}).copy_(t);
               }),
      sampleOf("new_empty_strided", x,
               [](auto& t) {
                 return t.new_empty_strided({5, 4}, {1, 5}).copy_(t);
               }),
      sampleOf("zero_", x, [](auto& t) { return t.zero_(); }),
      sampleOf("fill_.Scalar", x, [](auto& t) { return t.fill_(12); }),
      sampleOf("fill_.Scalar of whole numbers", whole, [](auto& t) { return t.fill_(12); }),
      sampleOf("fill_.Tensor", x, wholeNumbers({}, 1), filled),
      sampleOf("fill_.Tensor of another dtype", x, wholeNumbers({}, 1).to(at::kLong), filled),
      sampleOf("copy_", x, wholeNumbers({5, 4}, 1), [](auto& t, auto& u) { return t.copy_(u); }),
      sampleOf("copy_ a row", x, row, [](auto& t, auto& u) { return t.copy_(u); }),
      sampleOf("copy_ to whole numbers", whole, x, [](auto& t, auto& u) { return t.copy_(u); }),
      sampleOf("_to_copy to float64", x, [](auto& t) { return t.to(at::kDouble); }),
      sampleOf("_to_copy to int64", x.div(8), [](auto& t) { return t.to(at::kLong); }),
      sampleOf("_to_copy to bool", x, [](auto& t) { return t.to(at::kBool); }),
      sampleOf("_to_copy of whole numbers", whole, [](auto& t) { return t.to(at::kInt); }),
      sampleOf("clone", x, [](auto& t) { return t.clone(); }),
      sampleOf("contiguous", x.t(), [](auto& t) { return t.contiguous(); }),
      sampleOf("detach", x, [](auto& t) { return t.detach(); }),
      sampleOf("lift_fresh", x, [](auto& t) { return at::lift_fresh(t); }),
  };
}

}  // namespace shardlens
