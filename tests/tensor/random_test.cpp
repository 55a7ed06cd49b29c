// Random operators draw the numbers of a plain tensor. See also rules/random_samples.cpp.

#include "tests/tensor/ranks.h"

#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <torch/nn.h>

#include <algorithm>
#include <functional>

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
    const auto halves = distribute(dtensorImpl(x).sharedRuntime(), half, placed({"S(1)", "S(0)"}));
    EXPECT_TRUE(at::equal(whole(at::bernoulli(halves, sharded)), at::bernoulli(half, plain)));
  }
}

// Records the largest allocation while it is registered.
class LargestAllocation final : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, std::int64_t bytes, std::size_t, std::size_t,
                         c10::Device) override {
    largest_ = std::max(largest_, bytes);
  }
  bool memoryProfilingEnabled() const override { return true; }
  std::int64_t bytes() const { return largest_; }

 private:
  std::int64_t largest_ = 0;
};

using Fill = std::function<at::Tensor(at::Tensor)>;

// All operators that draw numbers, in place and not.
const std::vector<std::pair<std::string, Fill>> kFills = {
    {"uniform_", [](auto x) { return x.uniform_(-1, 3); }},
    {"normal_", [](auto x) { return x.normal_(1, 2); }},
    {"log_normal_", [](auto x) { return x.log_normal_(); }},
    {"cauchy_", [](auto x) { return x.cauchy_(); }},
    {"geometric_", [](auto x) { return x.geometric_(0.25); }},
    {"exponential_", [](auto x) { return x.exponential_(); }},
    {"bernoulli_", [](auto x) { return x.bernoulli_(0.25); }},
    {"random_", [](auto x) { return x.random_(); }},
    {"random_ to", [](auto x) { return x.random_(1000); }},
    {"random_ from", [](auto x) { return x.random_(-5, 1000); }},
    {"rand_like", [](auto x) { return at::rand_like(x); }},
    {"randn_like", [](auto x) { return at::randn_like(x); }},
    {"randint_like", [](auto x) { return at::randint_like(x, 50); }},
};

// Expects the numbers of a plain tensor, bit by bit, and the same numbers from the generator after.
void expectPlainNumbers(at::IntArrayRef shape, at::ScalarType type,
                        const std::vector<std::string>& where) {
  const auto runtime = ranks({2, 2});
  for (const auto& [name, fill] : kFills) {
    const auto plain = at::zeros(shape, type);
    at::manual_seed(5);
    const auto expected = fill(plain.clone());
    const auto next = at::rand({3});
    at::manual_seed(5);
    const auto got = whole(fill(distribute(runtime, plain, placed(where))));
    EXPECT_TRUE(at::equal(got, expected)) << name << " of " << toText(shape.vec());
    EXPECT_TRUE(at::equal(at::rand({3}), next)) << name << " of " << toText(shape.vec());
  }
}

// Sizes around that of a block, where blocks end within rows, planes and groups of sixteen.
TEST(Random, DrawsTheNumbersOfAPlainTensorInBlocks) {
  constexpr std::int64_t kBlock = std::int64_t{1} << 20;
  expectPlainNumbers({kBlock * 2 - 1}, at::kFloat, {"S(0)", "S(0)"});
  expectPlainNumbers({kBlock * 2}, at::kFloat, {"S(0)", "R"});
  expectPlainNumbers({kBlock * 2 + 1}, at::kDouble, {"R", "S(0)"});
  expectPlainNumbers({3, 1001, 1013}, at::kFloat, {"S(2)", "SS(1,2)"});
  expectPlainNumbers({1, 3000007}, at::kHalf, {"S(1)", "S(0)"});
  expectPlainNumbers({7}, at::kFloat, {"S(0)", "S(0)"});
  expectPlainNumbers({}, at::kFloat, {"R", "R"});
}

// A table that is sharded because it does not fit into memory can still be initialised.
TEST(Random, AllocatesNoWholeTensor) {
  const auto runtime = ranks({8});
  const auto table = distribute(runtime, at::zeros({8 << 20}), placed({"S(0)"}));
  LargestAllocation* largest = new LargestAllocation;
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE,
                                  std::shared_ptr<c10::DebugInfoBase>(largest));
  at::Tensor(table).normal_();
  EXPECT_GT(largest->bytes(), 0);
  EXPECT_LE(largest->bytes(), std::int64_t{8} << 20);  // the whole tensor has 32 MiB
}

TEST(Random, DropoutDropsTheElementsOfAPlainTensorForwardAndBackward) {
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

// As libtorch, which returns a mask of the input's dtype for a tensor without elements.
TEST(Random, TheDropoutMaskOfAnEmptyTensorHasItsDtype) {
  for (const auto dtype : {at::kFloat, at::kByte}) {
    const auto plain = at::empty({0, 4}, dtype);
    const auto x = distribute(ranks({2}), plain, placed({"S(0)"}));
    const auto [expected, expectedMask] = at::native_dropout(plain, 0.5, true);
    const auto [dropped, mask] = at::native_dropout(x, 0.5, true);
    EXPECT_EQ(mask.scalar_type(), expectedMask.scalar_type());
    EXPECT_TRUE(at::equal(whole(mask), expectedMask));
    EXPECT_TRUE(at::equal(whole(dropped), expected));
  }
}

TEST(Random, RefusesChancesThatAreNone) {
  const auto p = distribute(ranks({2}), numbered({4, 4}), placed({"S(0)"}));
  EXPECT_EQ(refusalOf([&] { at::bernoulli(p); }),
            "aten.bernoulli: got a probability outside of [0, 1]");
}

}  // namespace
}  // namespace shardlens
