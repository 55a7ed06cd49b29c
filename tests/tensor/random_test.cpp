// Random operators give the numbers of a plain tensor; see also rules/random_samples.cpp.

#include "tests/tensor/ranks.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/nn.h>

namespace shardlens {
namespace {

TEST(Random, DrawsFromTheGeneratorThatIsGivenAndLeavesItWhereAPlainTensorWould) {
  auto plain = at::detail::createCPUGenerator(3);
  auto sharded = at::detail::createCPUGenerator(3);
  auto expected = at::zeros({6, 4});
  auto x = distribute(ranks({2, 2}), expected, placed({"S(0)", "R"}));
  for (int time = 0; time < 3; ++time) {
    EXPECT_TRUE(at::equal(whole(x.normal_(0, 1, sharded)), expected.normal_(0, 1, plain)));
    EXPECT_TRUE(at::equal(whole(x.bernoulli_(0.5, sharded)), expected.bernoulli_(0.5, plain)));
    const auto half = at::full({6, 4}, 0.5);
    const auto halves = distribute(shardedImpl(x).sharedRuntime(), half, placed({"S(1)", "S(0)"}));
    EXPECT_TRUE(at::equal(whole(at::bernoulli(halves, sharded)), at::bernoulli(half, plain)));
  }
}

TEST(Random, DropoutForgetsWhatItForgetsInAPlainTensorForwardAndBackward) {
  torch::nn::Dropout dropout(0.4);
  for (const std::vector<std::string>& layout :
       {std::vector<std::string>{"S(0)", "S(1)"}, {"S(0)", "S(0)"}, {"R", "P(sum)"}}) {
    const auto x = numbered({7, 6});
    const auto expected = x.clone().requires_grad_();
    const auto got = distribute(ranks({2, 2}), x, placed(layout)).requires_grad_();
    at::manual_seed(11);
    const auto plain = dropout(expected);
    at::manual_seed(11);
    const auto sharded = dropout(got);
    EXPECT_TRUE(at::allclose(whole(sharded.detach()), plain));
    (plain * plain).sum().backward();
    (sharded * sharded).sum().backward();
    EXPECT_TRUE(at::allclose(whole(got.grad()), expected.grad()));
  }
}

TEST(Random, RefusesChancesThatAreNone) {
  const auto p = distribute(ranks({2}), numbered({4, 4}), placed({"S(0)"}));
  EXPECT_EQ(refusalOf([&] { at::bernoulli(p); }),
            "aten.bernoulli: got a probability outside of [0, 1]");
}

}  // namespace
}  // namespace shardlens
