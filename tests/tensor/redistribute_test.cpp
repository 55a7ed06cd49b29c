#include "tests/tensor/ranks.h"

namespace shardlens {
namespace {

const std::vector<std::string> kKinds = {"R", "S(0)", "S(1)", "SS(0, 3)", "P(sum)"};

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

TEST(Redistribute, AveragesDoNotOverflowTheirType) {
  const auto runtime = ranks({2});
  const auto averaged = [&](const at::Tensor& term) {
    return whole(fromLocals(runtime, {term, term}, placed({"P(avg)"}), std::nullopt));
  };
  const auto small = at::full({2}, 200, at::kByte);
  const auto half = at::full({2}, 60000, at::kHalf);
  EXPECT_TRUE(at::equal(averaged(small), small));
  EXPECT_TRUE(at::equal(averaged(half), half));
  EXPECT_EQ(refusalOf([&] { averaged(at::ones({2}, at::kBool)); }),
            "redistribute from P(avg) to R: got bool, expected numbers");
}

TEST(Redistribute, TermsAreTheirOwnMemory) {
  const auto x = distribute(ranks({2}), numbered({4, 2}), placed({"R"}));
  redistribute(x, placed({"P(avg)"})).mul_(10);
  EXPECT_TRUE(at::equal(whole(x), numbered({4, 2})));
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

TEST(Redistribute, LocalsMustHaveTheDimensionsOfTheWhole) {
  const auto runtime = ranks({2});
  const auto wrap = [&](const Shape& shape) {
    return refusalOf([&] {
      fromLocals(runtime, {at::ones({2, 3}), at::ones({2, 3})}, placed({"S(1)"}), shape);
    });
  };
  EXPECT_EQ(wrap({2, 6}), "nothing was refused");
  EXPECT_EQ(wrap({}), "shape: got [], expected 2 dimensions as the locals have");
  EXPECT_EQ(wrap({4}), "shape: got [4], expected 2 dimensions as the locals have");
}

TEST(Redistribute, SetDataTakesAllOfTheOther) {
  const auto runtime = ranks({2});
  const auto x = distribute(runtime, numbered({4, 2}), placed({"S(0)"}));
  x.set_data(distribute(runtime, numbered({6, 2}).mul(3), placed({"R"})));
  EXPECT_EQ(placementsOf(x), "(R)");
  EXPECT_TRUE(at::equal(whole(x), numbered({6, 2}).mul(3)));
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
