#include "core/tensor/caches/plan_cache.h"
#include "core/tensor/caches/strategy_cache.h"
#include "core/trace/snapshot/cache_key.h"
#include "core/trace/snapshot/state_index.h"
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
  const auto runtime = ranks({4}, options);
  const auto table = distribute(runtime, numbered({10, 3}), placed({"S(0)"}));
  const auto words = distribute(runtime, ids({0, 9, 4}), placed({"R"}));
  at::Tensor result;
  for (int i = 0; i < 3; ++i) result = whole(at::embedding(table, words) * 2);
  return {result, runtime->propagations, runtime->plans, runtime->strategyCache().hits()};
}

TEST(Caches, ChangeTheNumberOfRuleCallsAndNoResult) {
  const auto with = threeSteps({Masking::Fused, Caches::On, CostModel{}});
  const auto without = threeSteps({Masking::Fused, Caches::Off, CostModel{}});
  EXPECT_TRUE(at::equal(with.result, without.result));
  EXPECT_EQ(with.propagations, 2);  // embedding and mul, once each
  EXPECT_EQ(without.propagations, 6);
  EXPECT_EQ(with.hits, 4u);
  EXPECT_EQ(without.hits, 0u);
  EXPECT_LT(with.plans, without.plans);
}

TEST(Caches, AreKeyedByAllThatTheResultDependsOn) {
  const auto runtime = ranks({2});
  const auto x = distribute(runtime, numbered({4, 6}), placed({"S(0)"}));
  const auto ruleCalls = [&](auto call) {
    const int before = runtime->propagations;
    call();
    return runtime->propagations - before;
  };
  EXPECT_EQ(ruleCalls([&] { x.sum(0); }), 1);
  EXPECT_EQ(ruleCalls([&] { x.sum(0); }), 0);
  EXPECT_EQ(ruleCalls([&] { x.sum(1); }), 1);
  EXPECT_EQ(ruleCalls([&] { x.sum(1, true); }), 1);
  EXPECT_EQ(ruleCalls([&] { redistribute(x, placed({"S(1)"})).sum(0); }), 1);
  EXPECT_EQ(ruleCalls([&] { distribute(runtime, numbered({4, 8}), placed({"S(0)"})).sum(0); }), 1);
}

// Which numbers are part of a key, as in DTensor of torch 2.15: a number passed by position is, a
// keyword-only number, and any number of a foreach operator, is not.
TEST(Caches, HaveTheNumbersInTheirKeysThatDTensorHas) {
  const auto runtime = ranks({2});
  const auto x = distribute(runtime, numbered({4, 6}), placed({"S(0)"}));
  const auto w = distribute(runtime, numbered({6, 6}), placed({"R"}));
  const auto misses = [&](auto call) {
    const int before = runtime->propagations;
    for (const double number : {0.5, 0.25, 0.125}) call(number);
    return runtime->propagations - before;
  };
  using List = std::vector<at::Scalar>;
  EXPECT_EQ(misses([&](double n) { at::add(x, x, n); }), 1);
  EXPECT_EQ(misses([&](double n) { x.clone().sub_(x, n); }), 2);  // and clone()
  EXPECT_EQ(misses([&](double n) { at::addcdiv(x, x, x, n); }), 1);
  EXPECT_EQ(misses([&](double n) { at::addmm(x, x, w, n, n); }), 1);
  EXPECT_EQ(misses([&](double n) { at::var(x, at::IntArrayRef{1}, at::Scalar(n)); }), 1);
  EXPECT_EQ(misses([&](double n) { at::_foreach_mul({x}, n); }), 1);
  EXPECT_EQ(misses([&](double n) { at::_foreach_mul({x, x}, List{n, n}); }), 1);
  EXPECT_EQ(misses([&](double n) { at::_foreach_addcdiv({x}, {x}, {x}, n); }), 1);
  EXPECT_EQ(misses([&](double n) { at::full_like(x, n); }), 1);
  EXPECT_EQ(misses([&](double n) { at::native_dropout(x, n, true); }), 1);
  EXPECT_EQ(misses([&](double n) { at::mul(x, at::scalar_tensor(n)); }), 1);
  EXPECT_EQ(misses([&](double n) { at::mul(x, n); }), 3);
  EXPECT_EQ(misses([&](double n) { at::pow(x, n); }), 3);
  EXPECT_EQ(misses([&](double n) { at::lerp(x, x, n); }), 3);
  EXPECT_EQ(misses([&](double n) { at::clamp(x, 0, n); }), 3);
  EXPECT_EQ(misses([&](double n) { at::gt(x, n); }), 3);
  EXPECT_EQ(misses([&](double n) { at::layer_norm(x, {6}, {}, {}, n); }), 3);
  EXPECT_EQ(misses([&](double n) { at::_foreach_norm({x}, 2 + n); }), 3);
}

// The entries for other numbers give the right values and dtypes.
TEST(Caches, GiveTheResultsOfOtherNumbers) {
  const auto runtime = ranks({2});
  const auto plain = numbered({4, 6});
  const auto x = distribute(runtime, plain, placed({"S(0)"}));
  for (const double rate : {0.5, 0.25}) {
    EXPECT_TRUE(at::equal(whole(at::add(x, x, rate)), at::add(plain, plain, rate)));
    EXPECT_TRUE(
        at::equal(whole(at::_foreach_mul({x}, rate)[0]), at::_foreach_mul({plain}, rate)[0]));
  }
  const auto integers = ids({1, 2, 3, 4});
  const auto n = distribute(runtime, integers, placed({"S(0)"}));
  EXPECT_EQ(at::_foreach_mul({n}, 2)[0].scalar_type(), at::kLong);
  EXPECT_EQ(at::_foreach_mul({n}, 0.5)[0].scalar_type(), at::kFloat);
  EXPECT_EQ(at::_foreach_mul({x}, c10::complex<double>(0, 1))[0].scalar_type(), at::kComplexFloat);
}

// Replaces a cached entry by a wrong one.
TEST(Caches, VerifiedAreFoundWrongWhereTheyAre) {
  const auto runtime = makeSimulatedRuntime(*DeviceMesh::make({2}), {.caches = Caches::Verified});
  const auto x = distribute(runtime, numbered({4, 6}), placed({"S(0)"}));
  EXPECT_TRUE(at::equal(whole(x.sum(0)), whole(x.sum(0))));
  std::string key;
  CachedCall wrong;
  runtime->strategyCache().visit([&](const auto& entry) {
    key = entry.key;
    wrong = *entry.value;
    return false;
  });
  wrong.strategy.outputs = {placed({"R"})};
  runtime->strategyCache().insert(key, std::make_shared<const CachedCall>(wrong));
  EXPECT_EQ(refusalOf([&] { x.sum(0); }),
            "strategy cache: got partial result: (S(0)) -> (R), expected partial result: (S(0)) -> "
            "(P(sum))");
}

TEST(Caches, VerifiedFindAWrongPlan) {
  const auto runtime = makeSimulatedRuntime(*DeviceMesh::make({2}), {.caches = Caches::Verified});
  const auto x = distribute(runtime, numbered({4, 6}), placed({"S(0)"}));
  whole(x);
  whole(x);
  std::optional<PlanKey> key;
  runtime->planCache().visit([&](const auto& entry) {
    key = entry.key;
    return false;
  });
  runtime->planCache().insert(*key, std::make_shared<const PreparedPlan>());
  EXPECT_EQ(refusalOf([&] { whole(x); }), "plan cache: got S(0), expected S(0) -> R");
}

struct Cached {
  std::size_t held;
  Snapshot snapshot;
  std::string oldest;  // key of the first entry in the snapshot
};

// Runs `ask` in a new runtime. Returns what it leaves in the strategy cache, and in the snapshot of
// that cache from the recording.
template <class Ask>
Cached cachedAfter(Ask ask) {
  const auto runtime = ranks({1});
  Journal journal;
  runtime->recorder().addSink(journal);
  ask(runtime);
  Snapshot snapshot = StateIndex(journal).at(journal.size());
  const auto& entries = snapshot.strategyCache.entries;
  std::string oldest = entries.empty() ? "" : cacheKey(journal, entries[0].made);
  return {runtime->strategyCache().size(), std::move(snapshot), std::move(oldest)};
}

TEST(Caches, AreShownAsTheyAreWhenTheyAreFullToo) {
  constexpr int kCapacity = 4096;
  const auto cachedAfterMisses = [](int misses) {
    return cachedAfter([&](const auto& runtime) {
      for (int i = 1; i <= misses; ++i) {
        at::neg(distribute(runtime, at::zeros({i}), placed({"R"})));
      }
    });
  };
  const auto full = cachedAfterMisses(kCapacity);
  EXPECT_EQ(full.held, kCapacity);
  EXPECT_EQ(full.snapshot.strategyCache.entries.size(), kCapacity);
  EXPECT_EQ(full.oldest, "aten.neg, f32[1](R)");
  const auto more = cachedAfterMisses(kCapacity + 2);
  EXPECT_EQ(more.held, kCapacity);
  EXPECT_EQ(more.snapshot.strategyCache.entries.size(), kCapacity);
  EXPECT_EQ(more.oldest, "aten.neg, f32[3](R)");
  EXPECT_EQ(more.snapshot.strategyCache.misses, kCapacity + 2);
}

TEST(Caches, HaveNothingOfAQuestionThatIsRefused) {
  const auto cached = cachedAfter([](const auto& runtime) {
    const auto x = distribute(runtime, numbered({4, 6}), placed({"R"}));
    EXPECT_ANY_THROW(at::mm(x, x));
  });
  EXPECT_EQ(cached.held, 0U);
  EXPECT_EQ(cached.snapshot.strategyCache, (CacheState{0, 1, std::vector<CacheEntry>{}}));
}

TEST(Redistributions, ExplicitOnesAloneMaySend) {
  const auto runtime =
      makeSimulatedRuntime(*DeviceMesh::make({2}), {.redistributions = Redistributions::Explicit});
  const auto x = distribute(runtime, numbered({4, 6}), placed({"S(0)"}));
  const auto y = distribute(runtime, numbered({4, 6}), placed({"S(1)"}));
  EXPECT_EQ(
      refusalOf([&] { x + y; }),
      "Implicit redistribution occurred for aten.add.Tensor(f32[4, 6](S(0)), f32[4, 6](S(1))) "
      "while ExplicitRedistributionContext was active: got (S(1)) -> (S(0)), expected a "
      "redistribute before");
  EXPECT_EQ(refusalOf([&] { x + redistribute(y, placed({"S(0)"})); }), "nothing was refused");
  const auto all = distribute(runtime, numbered({4, 6}), placed({"R"}));
  EXPECT_EQ(refusalOf([&] { x + all; }), "nothing was refused");
}

}  // namespace
}  // namespace shardlens
