#include "tests/tensor/ranks.h"

namespace shardlens {
namespace {

struct Run {
  at::Tensor result;
  int propagations;
  int plans;
  std::size_t hits;
};

Run threeSteps(const RuntimeOptions& options) {
  const auto runtime = Runtime::simulated(*DeviceMesh::make({4}), options);
  const auto table = distribute(runtime, numbered({10, 3}), placed({"S(0)"}));
  const auto words = distribute(runtime, ids({0, 9, 4}), placed({"R"}));
  at::Tensor result;
  for (int i = 0; i < 3; ++i) result = whole(at::embedding(table, words) * 2);
  return {result, runtime->propagations, runtime->plans, runtime->strategyCache().hits()};
}

TEST(Caches, ChangeHowOftenRulesAreAskedAndNeverAnAnswer) {
  const auto with = threeSteps({Masking::Fused, /*caches=*/true, CostModel{}});
  const auto without = threeSteps({Masking::Fused, /*caches=*/false, CostModel{}});
  EXPECT_TRUE(at::equal(with.result, without.result));
  EXPECT_EQ(with.propagations, 2);  // embedding and mul, once each
  EXPECT_EQ(without.propagations, 6);
  EXPECT_EQ(with.hits, 4u);
  EXPECT_EQ(without.hits, 0u);
  EXPECT_LT(with.plans, without.plans);
}

TEST(Caches, AreKeyedByEverythingTheAnswerDependsOn) {
  const auto runtime = ranks({2});
  const auto x = distribute(runtime, numbered({4, 6}), placed({"S(0)"}));
  const auto asked = [&](auto call) {
    const int before = runtime->propagations;
    call();
    return runtime->propagations - before;
  };
  EXPECT_EQ(asked([&] { x.sum(0); }), 1);
  EXPECT_EQ(asked([&] { x.sum(0); }), 0);
  EXPECT_EQ(asked([&] { x.sum(1); }), 1);
  EXPECT_EQ(asked([&] { x.sum(1, true); }), 1);
  EXPECT_EQ(asked([&] { redistribute(x, placed({"S(1)"})).sum(0); }), 1);
  EXPECT_EQ(asked([&] { distribute(runtime, numbered({4, 8}), placed({"S(0)"})).sum(0); }), 1);
}

}  // namespace
}  // namespace shardlens
