#include "tests/kernels/places.h"

#include <cmath>

namespace shardlens::kernels::cuda {
namespace {

template <class Place>
class LossKernels : public OnPlace<Place> {};
TYPED_TEST_SUITE(LossKernels, Places);

constexpr std::int64_t kIgnoredClass = -100;

struct Case {
  std::int64_t rows = 5;
  std::int64_t classes = 10;
  bool probabilities = false;
  bool weighted = false;
  double soft = 0;
  std::size_t offset = 0;
};

template <class T>
std::vector<T> drawn(Lot& lot, std::int64_t count, double from, double to) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const double at = static_cast<double>(lot.below(1 << 20)) / (1 << 20);
    values.push_back(narrowed<T>(static_cast<Calculated<T>>(from + at * (to - from))));
  }
  return values;
}

template <class W>
void expectNear(const std::vector<W>& got, const std::vector<W>& expected, double tolerance,
                const std::string& what) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto a = static_cast<double>(widened(got[i]));
    const auto b = static_cast<double>(widened(expected[i]));
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    ASSERT_NEAR(a, b, tolerance * (1 + std::abs(b))) << what << " at " << i;
  }
}

template <class Place, class T>
void expectLoss(Lot& lot, FloatType type, const Case& each, std::vector<T> x, double tolerance) {
  using W = Calculated<T>;
  const std::int64_t allRows = each.rows + 2;  // the first and the last are not requested
  const RowRange rows{1, each.rows};
  auto ids = lot.ids<std::int64_t>(static_cast<std::size_t>(allRows), 0, each.classes + 3);
  ids[1] = kIgnoredClass;
  // The classes of the shard form two runs.
  const std::int64_t half = each.classes / 2;
  const std::vector<RowRange> runs = {{0, half}, {half + 2, each.classes - half}};
  const auto probabilities = drawn<T>(lot, allRows * each.classes, 0, 0.1);
  const auto weight = drawn<T>(lot, each.classes, 0, 2);
  const auto count = static_cast<std::size_t>(allRows);
  LossTarget here{.kind = each.probabilities ? TargetKind::Probabilities : TargetKind::Classes,
                  .ids = idsAt(ids.data(), count),
                  .runs = runs.data(),
                  .runCount = 2,
                  .ignored = kIgnoredClass,
                  .probabilities = probabilities.data(),
                  .weight = each.weighted ? weight.data() : nullptr,
                  .hard = 1 - each.soft,
                  .soft = each.soft / 10};
  const Moved<Place, T> xThere(x, each.offset), probabilitiesThere(probabilities),
      weightThere(weight);
  const Moved<Place, std::int64_t> idsThere(ids);
  LossTarget there = here;
  there.ids = idsAt(idsThere.data(), count);
  there.probabilities = probabilitiesThere.data();
  if (each.weighted) there.weight = weightThere.data();

  std::vector<W> sums[4];
  std::vector<std::unique_ptr<Moved<Place, W>>> sumsThere;
  for (auto& sum : sums) {
    sum.assign(count, -7);
    sumsThere.push_back(std::make_unique<Moved<Place, W>>(sum));
  }
  const RowSums out{sums[0].data(), sums[1].data(), sums[2].data(), sums[3].data()};
  const RowSums outThere{sumsThere[0]->data(), sumsThere[1]->data(), sumsThere[2]->data(),
                         sumsThere[3]->data()};
  kernels::sumRows({x.data(), type, each.classes}, here, rows, out);
  Place::sumRows(LogitShard{xThere.data(), type, each.classes}, there, rows, outThere);
  const std::string what = std::to_string(each.classes) + " classes";
  EXPECT_TRUE(std::memcmp(sumsThere[0]->back().data(), sums[0].data(), count * sizeof(W)) == 0);
  for (int i = 1; i < 4; ++i) {
    expectNear(sumsThere[static_cast<std::size_t>(i)]->back(), sums[i], tolerance, what);
  }

  const auto upstream = drawn<W>(lot, allRows, -2, 2);
  const Moved<Place, W> upstreamThere(upstream);
  std::vector<T> grad(x.size(), narrowed<T>(-7));
  const Moved<Place, T> gradThere(grad, each.offset);
  kernels::gradRows({x.data(), type, each.classes}, here, rows, out, {upstream.data(), 1},
                    grad.data());
  Place::gradRows(LogitShard{xThere.data(), type, each.classes}, there, rows, outThere,
                  LossGrads{upstreamThere.data(), 1}, gradThere.data());
  const double ofElements = sizeof(T) == 2 ? 1e-2 : tolerance;
  expectNear(gradThere.back(), grad, ofElements, "gradient of " + what);
}

template <class Place, class T>
void expectLosses(FloatType type, double tolerance) {
  Lot lot;
  for (const std::int64_t classes : {0, 1, 3, 8, 33, 1000, 1024, 9000}) {
    for (const bool probabilities : {false, true}) {
      for (const std::size_t offset : {std::size_t{0}, sizeof(T)}) {
        Case each{.classes = classes, .probabilities = probabilities, .offset = offset};
        const auto x = drawn<T>(lot, (each.rows + 2) * classes, -9, 9);
        expectLoss<Place, T>(lot, type, each, x, tolerance);
        each.weighted = true;
        each.soft = 0.1;
        expectLoss<Place, T>(lot, type, each, x, tolerance);
      }
    }
  }
}

TYPED_TEST(LossKernels, AreThoseOfTheProcessorForFloats) {
  expectLosses<TypeParam, float>(FloatType::Float32, 2e-5);
}
TYPED_TEST(LossKernels, AreThoseOfTheProcessorForDoubles) {
  expectLosses<TypeParam, double>(FloatType::Float64, 1e-12);
}
TYPED_TEST(LossKernels, AreThoseOfTheProcessorForHalves) {
  expectLosses<TypeParam, Float16>(FloatType::Float16, 2e-5);
  expectLosses<TypeParam, BFloat16>(FloatType::BFloat16, 2e-5);
}

TYPED_TEST(LossKernels, OfInvalidClassesAndOfNaNs) {
  Lot lot;
  const float infinity = std::numeric_limits<float>::infinity();
  for (const std::int64_t classes : {4, 40, 600}) {
    const Case each{.rows = 3, .classes = classes};
    std::vector<float> x(static_cast<std::size_t>(5 * classes), -infinity);
    x[static_cast<std::size_t>(2 * classes + 1)] = 2;
    x[static_cast<std::size_t>(3 * classes - 1)] = 2;
    x[static_cast<std::size_t>(3 * classes + 2)] = std::nanf("");
    expectLoss<TypeParam, float>(lot, FloatType::Float32, each, x, 1e-5);
  }
}

// Logits whose exponents would overflow as powers of 2, and rows of masked logits alone.
TYPED_TEST(LossKernels, OfLargeLogits) {
  Lot lot;
  const float most = std::numeric_limits<float>::max();
  for (const std::int64_t classes : {7, 64}) {
    for (const float base : {-most, most, 1000.F, -3e5F}) {
      const Case each{.rows = 2, .classes = classes};
      auto x = drawn<float>(lot, 4 * classes, -9, 9);
      for (auto& logit : x) logit += base;
      x[static_cast<std::size_t>(classes + 3)] = -most;
      expectLoss<TypeParam, float>(lot, FloatType::Float32, each, x, 2e-5);
    }
  }
}

// Several rounds of a block for each row. The maximum rises in each, so that sums are scaled.
TYPED_TEST(LossKernels, OfSoManyClassesThatABlockDoesSeveralRounds) {
  Lot lot;
  const std::int64_t classes = 40000;
  const Case each{.rows = 2, .classes = classes};
  auto x = drawn<float>(lot, 4 * classes, -1, 1);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += static_cast<float>(i % classes) / 4000;
  expectLoss<TypeParam, float>(lot, FloatType::Float32, each, x, 2e-5);
  std::vector<BFloat16> brain;
  for (const float logit : x) brain.push_back(BFloat16::from(logit));
  expectLoss<TypeParam, BFloat16>(lot, FloatType::BFloat16, each, brain, 2e-5);
}

TYPED_TEST(LossKernels, RefuseMoreClassesThanPortionsAreNumbered) {
  const LogitShard shard{nullptr, FloatType::Float16, std::int64_t{1} << 30};
  EXPECT_THROW(TypeParam::sumRows(shard, LossTarget{}, RowRange{0, 1}, RowSums{}),
               std::runtime_error);
}

TEST(ExpFrom, IsTheExponentialOfTheDifference) {
  double worst = 0;
  for (const float base : {0.F, 9.F, -50.F, 1000.F, 3e5F}) {
    const ExpFrom<float> expFrom(base);
    for (float below = 0; below < 86; below += 0.0137F) {
      const float x = base - below;
      const double expected = std::exp(static_cast<double>(x) - static_cast<double>(base));
      const double got = static_cast<double>(expFrom.of(x)) * static_cast<double>(expFrom.scale());
      worst = std::max(worst, std::abs(got - expected) / expected);
    }
  }
  EXPECT_LT(worst, 5e-6);
  EXPECT_EQ(ExpFrom<float>(2).of(-100), 0);
}

TYPED_TEST(LossKernels, OfMoreRowsThanAGridHasTeams) {
  Lot lot;
  const Case each{.rows = 3000, .classes = 40};
  expectLoss<TypeParam, float>(lot, FloatType::Float32, each, drawn<float>(lot, 3002 * 40, -9, 9),
                               2e-5);
}

}  // namespace
}  // namespace shardlens::kernels::cuda
