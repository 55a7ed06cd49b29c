// Reductions beyond their rules: gradients, empty shards, numbers that the program reads.

#include "tests/tensor/ranks.h"

#include <torch/autograd.h>

namespace shardlens {
namespace {

const std::vector<std::vector<std::string>> kReductionLayouts = {
    {"R", "R"}, {"S(0)", "R"}, {"S(1)", "S(0)"}, {"S(0)", "S(0)"}, {"SS(0,3)", "S(0)"}};

at::Tensor distinct() { return at::arange(20).mul(7).remainder(20).add(1).to(at::kFloat) / 8; }

template <class Call>
at::Tensor gradientOf(const at::Tensor& at, Call loss) {
  auto x = at.detach().requires_grad_();
  const auto value = loss(x);
  return torch::autograd::grad({(value * value).sum()}, {x}).front();
}

using TensorLoss = std::function<at::Tensor(const at::Tensor&)>;

const std::vector<std::pair<const char*, TensorLoss>> kLosses = {
    {"sum", [](auto& x) { return x.sum(0); }},
    {"mean", [](auto& x) { return x.mean(1); }},
    {"amax", [](auto& x) { return x.amax(0); }},
    {"max", [](auto& x) { return x.max(); }},
    {"max.dim", [](auto& x) { return std::get<0>(x.max(0)); }},
    {"min.dim kept", [](auto& x) { return std::get<0>(x.min(1, true)); }},
    {"median.dim", [](auto& x) { return std::get<0>(x.median(0)); }},
    {"sort", [](auto& x) { return std::get<0>(x.sort(0)); }},
    {"topk", [](auto& x) { return std::get<0>(x.topk(2, 1)); }},
    {"cummax", [](auto& x) { return std::get<0>(x.cummax(0)); }},
    {"std", [](auto& x) { return x.std(0); }},
    {"var", [](auto& x) { return x.var(); }},
    {"norm", [](auto& x) { return at::linalg_vector_norm(x); }},
    {"norm.1", [](auto& x) { return at::linalg_vector_norm(x, 1, 0); }},
    {"logsumexp", [](auto& x) { return x.logsumexp(0); }},
    {"softmax", [](auto& x) { return x.softmax(0); }},
    {"log_softmax", [](auto& x) { return x.log_softmax(1); }},
    {"logcumsumexp of a softmax", [](auto& x) { return x.softmax(1).amin(1); }},
    {"prod.dim", [](auto& x) { return x.prod(0); }}};

TEST(Reductions, HaveThePlainGradients) {
  const auto plain = distinct().reshape({5, 4});
  for (const auto& layout : kReductionLayouts) {
    const auto sharded = distribute(ranks({2, 3}), plain, placed(layout));
    for (const auto& [name, loss] : kLosses) {
      SCOPED_TRACE(name + toText(placed(layout)));
      try {
        const auto got = whole(gradientOf(sharded, loss));
        const auto expected = gradientOf(plain, loss);
        EXPECT_TRUE(at::allclose(got, expected, 1e-4, 1e-5)) << got << expected;
      } catch (const std::exception& error) {
        const std::string message = error.what();
        ADD_FAILURE() << message.substr(0, message.find('\n'));
      }
    }
  }
}

TEST(Reductions, AnEmptyShardChangesNothing) {
  const auto plain = numbered({5, 3}).sub(200);
  const auto x = distribute(ranks({4}), plain, placed({"S(0)"}));
  EXPECT_TRUE(at::equal(whole(x.max()), plain.max()));
  EXPECT_TRUE(at::equal(whole(x.amin(0)), plain.amin(0)));
  EXPECT_TRUE(at::equal(whole(x.argmax(0)), plain.argmax(0)));
  EXPECT_TRUE(at::equal(whole(x.argmin()), plain.argmin()));
  EXPECT_TRUE(at::allclose(whole(x.mean(0)), plain.mean(0)));
  EXPECT_EQ(placementsOf(x.max()), "(P(max))");
  EXPECT_EQ(placementsOf(x.argmax(0)), "(R)");
}

TEST(Reductions, AnEmptyTensorIsRefused) {
  const auto x = distribute(ranks({2}), at::empty({0, 3}), placed({"S(0)"}));
  EXPECT_NE(refusalOf([&] { x.max(); }).find("max(): Expected reduction dim to be specified"),
            std::string::npos);
  EXPECT_ANY_THROW(x.argmax(0));
  EXPECT_ANY_THROW(x.amin(0));
}

TEST(Agreement, EqualIsTheSameForAllRanks) {
  const auto runtime = ranks({2, 2});
  const auto plain = numbered({5, 4});
  const auto x = distribute(runtime, plain, placed({"S(0)", "S(1)"}));
  const auto other = plain.clone();
  other[4][3] = -1;
  EXPECT_TRUE(at::equal(x, distribute(runtime, plain, placed({"R", "S(0)"}))));
  EXPECT_FALSE(at::equal(x, distribute(runtime, other, placed({"S(0)", "S(1)"}))));
  EXPECT_FALSE(at::equal(x, distribute(runtime, plain.t(), placed({"S(0)", "S(1)"}))));
}

TEST(Agreement, ANumberIsReadOnceItIsReduced) {
  const auto x = distribute(ranks({3}), numbered({5, 4}), placed({"S(0)"}));
  EXPECT_EQ(x.sum().item<float>(), numbered({5, 4}).sum().item<float>());
  EXPECT_TRUE(at::allclose(x, x + 1e-9));
  EXPECT_FALSE(at::allclose(
      x, x + distribute(dtensorImpl(x).sharedRuntime(), at::eye(5, 4), placed({"S(0)"}))));
}

TEST(Agreement, GradientsAreClippedByTheNormOfAll) {
  const auto runtime = ranks({2, 2});
  const auto a = numbered({5, 4}), b = numbered({7}).sub(20);
  const std::vector<at::Tensor> sharded = {distribute(runtime, a.clone(), placed({"S(0)", "S(1)"})),
                                           distribute(runtime, b.clone(), placed({"R", "S(0)"}))};
  const auto norms = at::_foreach_norm(sharded, 2);
  EXPECT_EQ(placementsOf(norms[1]), "(R, NormP(2))");
  const auto norm = (norms[0].square() + norms[1].square()).sqrt();
  const auto expected = at::cat({a.flatten(), b}).norm();
  EXPECT_TRUE(at::allclose(whole(norm), expected));
  at::_foreach_mul_(sharded, at::clamp(1 / (norm + 1e-6), std::nullopt, 1.));
  EXPECT_TRUE(at::allclose(whole(sharded[0]), a / expected));
  EXPECT_TRUE(at::allclose(whole(sharded[1]), b / expected));
}

// Only one rank has a nonfinite value, but all ranks find it.
TEST(Agreement, AllRanksFindNonFiniteValues) {
  const auto runtime = ranks({2, 2});
  for (const bool bad : {false, true}) {
    auto b = numbered({7});
    if (bad) b[6] = INFINITY;
    const std::vector<at::Tensor> gradients = {
        distribute(runtime, numbered({5, 4}), placed({"S(1)", "R"})),
        distribute(runtime, b, placed({"R", "S(0)"}))};
    const auto found = at::zeros({1});
    const auto held = distribute(runtime, at::zeros({1}), placed({"R", "R"}));
    at::_amp_foreach_non_finite_check_and_unscale_(gradients, const_cast<at::Tensor&>(found),
                                                   at::full({1}, 0.5));
    EXPECT_EQ(found.item<float>(), bad ? 1 : 0);
    EXPECT_TRUE(at::equal(whole(gradients[0]), numbered({5, 4}) / 2));
    at::_amp_foreach_non_finite_check_and_unscale_(gradients, const_cast<at::Tensor&>(held),
                                                   at::full({1}, 1.));
    EXPECT_EQ(whole(held).item<float>(), bad ? 1 : 0);

    const std::vector<at::Tensor> terms = {distribute(runtime, b, placed({"P(sum)", "R"}))};
    const auto foundInTerms = at::zeros({1});
    at::_amp_foreach_non_finite_check_and_unscale_(terms, const_cast<at::Tensor&>(foundInTerms),
                                                   at::full({1}, 0.5));
    EXPECT_EQ(foundInTerms.item<float>(), bad ? 1 : 0);
    EXPECT_TRUE(at::equal(whole(terms[0]), b / 2));

    auto scale = distribute(runtime, at::full({1}, 8.), placed({"R", "R"}));
    auto tracker = at::zeros({1}, at::kInt);
    at::_amp_update_scale_(scale, tracker, held, 2., 0.5, 1);
    EXPECT_EQ(whole(scale).item<float>(), bad ? 4 : 16);
  }
}

}  // namespace
}  // namespace shardlens
