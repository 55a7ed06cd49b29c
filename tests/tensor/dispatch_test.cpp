// Plain at:: calls on sharded tensors, as in any C++ program.

#include "tests/tensor/ranks.h"

namespace shardlens {
namespace {

const std::vector<std::vector<std::string>> kDispatchLayouts = {
    {"R", "R"},       {"S(0)", "R"},   {"R", "S(1)"},      {"S(0)", "S(0)"},
    {"S(1)", "S(0)"}, {"P(sum)", "R"}, {"P(sum)", "S(0)"}, {"P(avg)", "P(avg)"}};

TEST(Dispatch, PointwiseOperatorsGiveThePlainResultUnderAnyPlacements) {
  const auto runtime = ranks({2, 3});
  const auto a = numbered({5, 4});
  const auto b = numbered({5, 4}, 31);
  const auto row = numbered({1, 4}, 11);
  for (const auto& left : kDispatchLayouts) {
    for (const auto& right : kDispatchLayouts) {
      SCOPED_TRACE(toText(placed(left)) + " " + toText(placed(right)));
      const auto x = distribute(runtime, a.mul(6), placed(left));
      const auto y = distribute(runtime, b.mul(6), placed(right));
      EXPECT_TRUE(at::allclose(whole(x + y), a.mul(6) + b.mul(6)));
      EXPECT_TRUE(at::allclose(whole(x - y), a.mul(6) - b.mul(6)));
      EXPECT_TRUE(at::allclose(whole(x * y), a.mul(6) * b.mul(6)));
      EXPECT_TRUE(at::allclose(whole(x * 2 + 1), a.mul(6) * 2 + 1));
    }
    const auto x = distribute(runtime, a, placed(left));
    const auto broadcast = distribute(runtime, row, placed({"R", "S(1)"}));
    EXPECT_TRUE(at::allclose(whole(x + broadcast), a + row));
  }
}

TEST(Dispatch, SumsGiveThePlainResultUnderAnyPlacements) {
  const auto runtime = ranks({2, 3});
  const auto a = numbered({5, 4}).mul(6);
  for (const auto& layout : kDispatchLayouts) {
    SCOPED_TRACE(toText(placed(layout)));
    const auto x = distribute(runtime, a, placed(layout));
    EXPECT_TRUE(at::allclose(whole(x.sum()), a.sum()));
    EXPECT_TRUE(at::allclose(whole(x.sum(0)), a.sum(0)));
    EXPECT_TRUE(at::allclose(whole(x.sum(-1, true)), a.sum(-1, true)));
  }
}

TEST(Dispatch, APlainScalarIsAddedOnce) {
  const auto runtime = ranks({4});
  for (const auto* cut : {"R", "S(0)", "P(sum)"}) {
    const auto x = distribute(runtime, numbered({4, 4}), placed({cut}));
    EXPECT_TRUE(at::allclose(whole(x + at::scalar_tensor(1)), numbered({4, 4}) + 1)) << cut;
  }
}

TEST(Dispatch, PartialsAreCombinedOnlyIfThatIsExact) {
  const auto runtime = ranks({2});
  const auto terms = [&](const at::Tensor& a, const at::Tensor& b, const char* op) {
    return fromLocals(runtime, {a, b}, placed({op}), std::nullopt);
  };
  const auto yes = at::ones({1}, at::kBool);
  EXPECT_EQ(whole(terms(yes, yes, "P(sum)").sum()).item<std::int64_t>(), 1);
  const auto three = at::full({1}, 3, at::kLong);
  const auto four = at::full({1}, 4, at::kLong);
  EXPECT_EQ(whole(terms(three, four, "P(avg)").mul(2)).item<std::int64_t>(), 6);
  EXPECT_EQ(whole(terms(three, four, "P(sum)").mul(2)).item<std::int64_t>(), 14);
}

TEST(Dispatch, ATensorReportsItsGlobalShape) {
  const auto x = distribute(ranks({3}), numbered({5, 4}), placed({"S(0)"}));
  EXPECT_EQ(x.sizes(), at::IntArrayRef({5, 4}));
  EXPECT_EQ(x.strides(), at::IntArrayRef({4, 1}));
  EXPECT_EQ(x.scalar_type(), at::kFloat);
  EXPECT_TRUE(x.device().is_cpu());
  const auto& locals = dtensorImpl(x).locals();
  EXPECT_EQ(locals[0].sizes(), at::IntArrayRef({2, 4}));
  EXPECT_EQ(locals[2].sizes(), at::IntArrayRef({1, 4}));
}

TEST(Dispatch, InPlaceOperatorsChangeTheirArgumentAndKeepItsPlacement) {
  const auto x = distribute(ranks({4}), numbered({6, 2}), placed({"S(0)"}));
  auto y = x.clone();
  const auto same = y.mul_(3);
  EXPECT_TRUE(same.is_same(y));
  EXPECT_EQ(placementsOf(y), "(S(0))");
  EXPECT_TRUE(at::equal(whole(y), numbered({6, 2}) * 3));
  EXPECT_TRUE(at::equal(whole(x), numbered({6, 2})));
}

TEST(Dispatch, RefusesUnsupportedCalls) {
  const auto runtime = ranks({2});
  const auto x = distribute(runtime, numbered({4, 4}), placed({"S(0)"}));
  EXPECT_EQ(refusalOf([&] { at::poisson(x); }),
            "Operator aten.poisson.default does not have a sharding strategy registered.");
  EXPECT_EQ(refusalOf([&] {
              x + at::ones({4, 4});
            }),
            "aten.add.Tensor: got mixed torch.Tensor and DTensor, need to convert all torch.Tensor "
            "to DTensor before calling distributed operators!");
  const auto other = distribute(ranks({2}), numbered({4, 4}), placed({"S(0)"}));
  EXPECT_EQ(refusalOf([&] { x + other; }),
            "aten.add.Tensor: Cross device mesh comm not supported yet!");
  const auto term = distribute(runtime, numbered({4, 4}), placed({"P(sum)"}));
  EXPECT_EQ(
      refusalOf([&] { at::dot(x.sum(0), distribute(runtime, numbered({3}), placed({"R"}))); }),
      "aten.dot: got Float[4] and Float[3], expected two vectors of one length and dtype");
  EXPECT_EQ(refusalOf([&] { at::Tensor(x).add_(term.sum(0)); }), "nothing was refused");
  EXPECT_EQ(refusalOf([&] { at::Tensor(term).add_(1); }),
            "aten.add_.Scalar: in-place operations that require placement changes are not "
            "supported. The input has placement (P(sum)), but no valid strategy preserves this "
            "placement. Please use the out-of-place version of this operation instead.");
}

TEST(Dispatch, AnInPlaceOperatorKeepsThePlacementsOfItsTensor) {
  const auto runtime = ranks({2});
  const auto x = distribute(runtime, numbered({4, 6}), placed({"S(0)"}));
  auto out = distribute(runtime, at::zeros({6}), placed({"S(0)"}));
  EXPECT_TRUE(at::sum_out(out, x, {0}).is_same(out));
  EXPECT_EQ(placementsOf(out), "(S(0))");
  EXPECT_TRUE(at::equal(whole(out), numbered({4, 6}).sum(0)));
  auto values = distribute(runtime, at::zeros({4}), placed({"R"}));
  auto indices = distribute(runtime, at::zeros({4}, at::kLong), placed({"S(0)"}));
  at::max_out(values, indices, x, 1);
  const auto [most, where] = numbered({4, 6}).max(1);
  EXPECT_TRUE(at::equal(whole(values), most));
  EXPECT_TRUE(at::equal(whole(indices), where));
}

TEST(Dispatch, AnOutTensorIsNeitherResizedNorRounded) {
  const auto runtime = ranks({2});
  const auto x = distribute(runtime, numbered({4, 6}), placed({"S(0)"}));
  auto shorter = distribute(runtime, at::zeros({5}), placed({"R"}));
  EXPECT_EQ(refusalOf([&] { at::sum_out(shorter, x, {0}); }),
            "aten.sum.IntList_out: output with shape [5] doesn't match the result's shape [6]");
  auto rounded = distribute(runtime, at::zeros({6}, at::kLong), placed({"R"}));
  EXPECT_EQ(refusalOf([&] { at::amax_out(rounded, x, {0}); }),
            "aten.amax.out: result type Float can't be cast to the desired output type Long");
}

TEST(Dispatch, DataThatDetermineTheOutputSizeAreGatheredEachTime) {
  const auto runtime = ranks({2});
  const auto few = distribute(runtime, at::tensor({0.F, 0.F, 3.F}), placed({"S(0)"}));
  const auto many = distribute(runtime, at::tensor({1.F, 2.F, 3.F}), placed({"S(0)"}));
  EXPECT_TRUE(at::equal(whole(few.nonzero()), at::tensor({2L}).view({1, 1})));
  EXPECT_EQ(many.nonzero().size(0), 3);  // same shape and placement as `few`
  EXPECT_EQ(placementsOf(many.nonzero()), "(R)");
  const auto mask = distribute(runtime, at::tensor({1, 0, 1}).to(at::kBool), placed({"S(0)"}));
  EXPECT_TRUE(at::equal(whole(at::index(many, {mask})), at::tensor({1.F, 3.F})));
}

TEST(Dispatch, AnImplicitGatherIsRefusedIfTheProgramMustRedistribute) {
  const auto runtime = ranks({2}, RuntimeOptions{.redistributions = Redistributions::Explicit});
  const auto x = distribute(runtime, at::tensor({0.F, 3.F}), placed({"S(0)"}));
  EXPECT_EQ(refusalOf([&] { x.nonzero(); }),
            "Implicit redistribution occurred for aten.nonzero(f32[2](S(0))) while "
            "ExplicitRedistributionContext was active: got (S(0)) -> (R), expected a redistribute "
            "before");
}

TEST(Dispatch, AnOperatorThatCannotBeDecomposedIsRefused) {
  auto stack = at::eye(2).expand({2, 2, 2}).clone();
  stack[1].fill_(NAN);
  const auto x = distribute(ranks({2}), stack, placed({"S(0)"}));
  EXPECT_NE(refusalOf([&] { at::linalg_svd(x); }), "nothing was refused");
}

TEST(Dispatch, SingularMatricesAreRefusedInOurWords) {
  const auto runtime = ranks({2});
  const auto ones = distribute(runtime, at::ones({2, 4, 4}, at::kComplexFloat), placed({"S(0)"}));
  EXPECT_EQ(refusalOf([&] { at::linalg_ldl_factor_ex(ones, true, /*check_errors=*/true); }),
            "aten.linalg_ldl_factor_ex: got a singular matrix, expected one that has factors");
  EXPECT_EQ(placementsOf(std::get<2>(at::linalg_ldl_factor_ex(ones, true))), "(S(0))");
}

TEST(Dispatch, DrawsOfDataAreRefused) {
  const auto x = distribute(ranks({2}), numbered({4, 6}), placed({"S(0)"}));
  EXPECT_EQ(refusalOf([&] { at::rrelu(x, 0.1, 0.3, /*training=*/true); }),
            "aten.rrelu_with_noise: got training, expected not: what it draws depends on data");
}
}  // namespace
}  // namespace shardlens
