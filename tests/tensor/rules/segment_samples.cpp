#include "tests/tensor/rules/samples.h"

namespace shardlens {
namespace {

at::Tensor gradient(const at::Tensor& x, const at::Tensor& lengths) {
  const auto leaf = x.detach().requires_grad_(true);
  at::segment_reduce(leaf, "mean", lengths).square().sum().backward();
  return leaf.grad();
}

}  // namespace

std::vector<Sample> segmentSamples() {
  const auto x = wholeNumbers({6, 4, 3});
  const auto lengths = at::tensor({2, 0, 3, 1}, at::kLong);
  std::vector<Sample> all;
  for (const auto* reduce : {"sum", "mean", "max", "min", "prod"}) {
    all.push_back(sampleOf(
        std::string("segment_reduce ") + reduce, x, lengths,
        [=](auto& t, auto& l) { return at::segment_reduce(t, reduce, l, {}, {}, 0, false, 1); }));
  }
  all.push_back(sampleOf("segment_reduce of offsets", x, at::tensor({0, 2, 6}, at::kLong),
                         [](auto& t, auto& o) { return at::segment_reduce(t, "sum", {}, {}, o); }));
  all.push_back(sampleOf("segment_reduce of rows of each", wholeNumbers({2, 4, 3}),
                         at::tensor({1, 3, 4, 0}, at::kLong).reshape({2, 2}), [](auto& t, auto& l) {
                           return at::segment_reduce(t, "sum", l, {}, {}, 1);
                         }));
  all.push_back(
      sampleOf("gradient of segment_reduce", x, at::tensor({2, 3, 1}, at::kLong), gradient));
  for (auto& sample : all) sample.match = Sample::Match::Near;
  return all;
}

}  // namespace shardlens
