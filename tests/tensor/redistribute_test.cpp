#include "tests/tensor/ranks.h"

#include <torch/csrc/autograd/autograd.h>

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

TEST(Redistribute, ReducesByTheOpOfThePartials) {
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
            "redistribute from P(avg) to R not supported yet: got bool, expected numbers");
}

TEST(Redistribute, PartialsHaveSeparateMemory) {
  const auto x = distribute(ranks({2}), numbered({4, 2}), placed({"R"}));
  redistribute(x, placed({"P(avg)"})).mul_(10);
  EXPECT_TRUE(at::equal(whole(x), numbered({4, 2})));
}

// Results never alias their input, even with one rank, where nothing is sent.
TEST(Redistribute, ResultsAreTheirOwnMemory) {
  for (const int count : {1, 2}) {
    const auto terms =
        fromLocals(ranks({count}), Buffers(static_cast<std::size_t>(count), at::ones({2})),
                   placed({"P(sum)"}), std::nullopt);
    redistribute(terms, placed({"R"})).mul_(10);
    EXPECT_TRUE(at::equal(whole(terms), at::full({2}, float(count))));
  }
}

// Equal replicas share memory until one of them is written.
TEST(Redistribute, ReplicasAreOneUntilWritten) {
  for (const char* from : {"S(0)", "SS(0, 2)", "P(sum)"}) {
    const auto x = distribute(ranks({4}), numbered({8, 2}), placed({from}));
    const auto y = redistribute(x, placed({"R"}));
    const auto& locals = dtensorImpl(y).locals();
    EXPECT_EQ(locals[3].const_data_ptr(), locals[0].const_data_ptr()) << from;
    at::Tensor(locals[3]).add_(1);
    EXPECT_TRUE(at::equal(locals[3], numbered({8, 2}) + 1)) << from;
    EXPECT_TRUE(at::equal(locals[2], numbered({8, 2}))) << from;
  }
}

// Masked ids keep their values if their dtype changes.
TEST(Redistribute, MaskedIdsChangeTheirType) {
  const auto plain = ids({0, 9, 4});
  const auto x = distribute(ranks({2}), plain, placed({"R"}));
  const auto masked = redistribute(x, placed({"MaskP(sum, [10, 3], 0)"}));
  const auto back = redistribute(masked, placed({"R"}), {.forward = DType::Int32, .backward = {}});
  EXPECT_TRUE(at::equal(whole(back), plain.to(at::kInt)));
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

// The second derivative passes through the redistributions of the first.
TEST(Redistribute, IsTwiceDifferentiable) {
  const auto runtime = ranks({2, 2});
  const auto plain = numbered({4, 3}, 5).requires_grad_();
  const auto cube = [](const at::Tensor& t) { return (t * t * t).sum(); };
  const auto first = torch::autograd::grad({cube(plain)}, {plain}, {}, std::nullopt, true)[0];
  const auto second = torch::autograd::grad({(first * first).sum()}, {plain})[0];

  const auto x = distribute(runtime, plain.detach(), placed({"S(0)", "R"})).requires_grad_();
  const auto moved = redistribute(x, placed({"R", "S(1)"}));
  const auto dx = torch::autograd::grad({cube(moved)}, {x}, {}, std::nullopt, true)[0];
  EXPECT_TRUE(at::equal(whole(dx), first));
  const auto ddx = torch::autograd::grad({(dx * dx).sum()}, {x})[0];
  EXPECT_EQ(placementsOf(ddx), "(S(0), R)");
  EXPECT_TRUE(at::equal(whole(ddx), second));
}

TEST(Redistribute, SendsInTheRequestedDtypes) {
  const auto runtime = ranks({2});
  // bfloat16 rounds 257 to 256.
  const auto x = distribute(runtime, at::full({4}, 257.0), placed({"S(0)"})).requires_grad_();
  const auto y = redistribute(x, placed({"R"}), {.forward = DType::BFloat16, .backward = {}});
  EXPECT_EQ(y.scalar_type(), at::kBFloat16);
  EXPECT_TRUE(at::equal(whole(y), at::full({4}, 256.0, at::kBFloat16)));

  const auto z = redistribute(x, placed({"R"}), {.forward = {}, .backward = DType::BFloat16});
  EXPECT_EQ(z.scalar_type(), at::kFloat);
  EXPECT_TRUE(at::equal(whole(z), at::full({4}, 257.0)));
  z.backward(distribute(runtime, at::full({4}, 257.0), placed({"R"})));
  EXPECT_EQ(x.grad().scalar_type(), at::kFloat);
  EXPECT_TRUE(at::equal(whole(x.grad()), at::full({4}, 256.0)));
}

TEST(Redistribute, NormsAndFactorsReduceByTheirArithmetic) {
  const auto reduced = [&](const char* kind, const char* to, const std::vector<double>& values) {
    Buffers locals;
    for (const double value : values) locals.push_back(at::full({2}, value));
    const auto runtime = ranks({static_cast<int>(values.size())});
    const auto terms = fromLocals(runtime, locals, placed({kind}), std::nullopt);
    return whole(redistribute(terms, placed({to})))[1].item<double>();
  };
  for (const char* to : {"R", "S(0)"}) {
    EXPECT_NEAR(reduced("NormP(2)", to, {3, 4}), 5, 1e-6);
    EXPECT_NEAR(reduced("NormP(1)", to, {3, -4}), 7, 1e-6);
    EXPECT_NEAR(reduced("NormP(3)", to, {-3, 4, 5}), 6, 1e-6);
    EXPECT_EQ(reduced("NormP(inf)", to, {3, 4}), 4);
    EXPECT_EQ(reduced("NormP(0)", to, {3, 4}), 7);
    EXPECT_EQ(reduced("P(premul_sum, 0.5)", to, {3, 4}), 3.5);
    // A group of one rank sends nothing, but applies its factor.
    EXPECT_EQ(reduced("P(premul_sum, 0.5)", to, {3}), 1.5);
    EXPECT_EQ(reduced("P(sum)", to, {3}), 3);
  }
}

TEST(Redistribute, AReplicatedTensorBecomesAPartialNorm) {
  const auto x = distribute(ranks({4}), at::full({2}, 6.0), placed({"R"}));
  const auto terms = redistribute(x, placed({"NormP(2)"}));
  EXPECT_TRUE(at::allclose(dtensorImpl(terms).locals()[3], at::full({2}, 3.0)));
  EXPECT_TRUE(at::allclose(whole(terms), at::full({2}, 6.0)));
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
  x.set_data(x.to(at::kBFloat16));
  EXPECT_EQ(x.scalar_type(), at::kBFloat16);
  EXPECT_EQ((x + x).scalar_type(), at::kBFloat16);
}

TEST(Redistribute, RefusesMeaninglessRedistributions) {
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
