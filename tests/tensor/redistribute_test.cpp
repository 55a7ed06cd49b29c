#include "tests/tensor/ranks.h"

namespace shardlens {
namespace {

const std::vector<std::string> kKinds = {"R", "S(0)", "S(1)", "P(sum)"};

TEST(Redistribute, EveryPairOfPlacementsKeepsTheTensorAndItsDtype) {
  for (const auto dtype : {at::kFloat, at::kDouble, at::kLong}) {
    const auto runtime = ranks({2, 3});
    const auto plain = numbered({7, 4}).mul(6).to(dtype);
    for (const auto& a : kKinds) {
      for (const auto& b : kKinds) {
        const auto source = distribute(runtime, plain, placed({a, b}));
        for (const auto& c : kKinds) {
          for (const auto& d : kKinds) {
            SCOPED_TRACE(a + b + " -> " + c + d);
            const auto moved = redistribute(source, placed({c, d}));
            EXPECT_EQ(specOf(moved).placements, placed({c, d}));
            EXPECT_EQ(moved.scalar_type(), dtype);
            EXPECT_TRUE(at::allclose(whole(moved), plain));
            EXPECT_TRUE(at::allclose(whole(source), plain));
          }
        }
      }
    }
  }
}

TEST(Redistribute, ReducesByTheOpOfTheTerms) {
  const auto runtime = ranks({3});
  const auto term = [](float value) { return at::full({2, 2}, value); };
  const auto reduced = [&](const char* op) {
    const auto terms =
        fromLocals(runtime, {term(1), term(10), term(-5)}, placed({op}), std::nullopt);
    EXPECT_TRUE(at::equal(whole(redistribute(terms, placed({"S(0)"}))), whole(terms)));
    return whole(terms)[0][0].item<float>();
  };
  EXPECT_EQ(reduced("P(sum)"), 6);
  EXPECT_EQ(reduced("P(avg)"), 2);
  EXPECT_EQ(reduced("P(min)"), -5);
  EXPECT_EQ(reduced("P(max)"), 10);
  EXPECT_EQ(reduced("P(product)"), -50);
}

TEST(Redistribute, GradientsComeBackAsTheTensorLay) {
  const auto runtime = ranks({2, 2});
  const auto x = distribute(runtime, numbered({4, 4}), placed({"S(0)", "R"})).requires_grad_();
  const auto y = redistribute(x, placed({"R", "S(1)"}));
  (y * y).sum().backward();
  EXPECT_EQ(placementsOf(x.grad()), "(S(0), R)");
  EXPECT_TRUE(at::equal(whole(x.grad()), numbered({4, 4}) * 2));
}

TEST(Redistribute, TheGradientOfATermIsThatOfTheSum) {
  const auto runtime = ranks({2});
  const auto terms =
      fromLocals(runtime, {at::ones({2, 2}), at::ones({2, 2})}, placed({"P(sum)"}), std::nullopt)
          .requires_grad_();
  redistribute(terms, placed({"S(0)"})).sum().backward();
  EXPECT_EQ(placementsOf(terms.grad()), "(R)");
  EXPECT_TRUE(at::equal(whole(terms.grad()), at::ones({2, 2})));
}

TEST(Redistribute, RefusesWhatHasNoMeaning) {
  const auto runtime = ranks({2});
  const auto sum = distribute(runtime, numbered({4, 4}), placed({"P(sum)"}));
  EXPECT_EQ(refusalOf([&] { redistribute(sum, placed({"P(max)"})); }),
            "Redistribution from one partial type (P(sum)) to another (P(max)) is unsupported.");
  EXPECT_EQ(refusalOf([&] { redistribute(sum, placed({"S(2)"})); }),
            "placement S(2) on a tensor of 2 dimensions: expected a dimension from -2 to 1");
  const auto shard = distribute(runtime, numbered({4, 4}), placed({"S(0)"}));
  EXPECT_EQ(
      refusalOf([&] { redistribute(shard, placed({"P(max)"})); }),
      "Can not redistribute from S(0) to P(max), only Shard to Partial(sum) redistribution is "
      "supported!");
  EXPECT_EQ(
      refusalOf([&] {
        fromLocals(runtime, {at::ones({2, 3}), at::ones({2, 4})}, placed({"S(0)"}), std::nullopt);
      }),
      "local tensor of rank 1: got shape [2, 4], expected [2, 3] under f32[4, 3](S(0))");
}

}  // namespace
}  // namespace shardlens
