#include "kernels/cross_entropy.h"

#include "kernels/float16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace shardlens::kernels {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::int64_t kIgnored = -100;

template <class T>
struct Element;
template <>
struct Element<float> {
  using Sum = float;
  static constexpr FloatType kType = FloatType::Float32;
  static constexpr double kTolerance = 4e-6;
};
template <>
struct Element<double> {
  using Sum = double;
  static constexpr FloatType kType = FloatType::Float64;
  static constexpr double kTolerance = 1e-13;
};
template <>
struct Element<Float16> {
  using Sum = float;
  static constexpr FloatType kType = FloatType::Float16;
  static constexpr double kTolerance = 1e-3;
};
template <>
struct Element<BFloat16> {
  using Sum = float;
  static constexpr FloatType kType = FloatType::BFloat16;
  static constexpr double kTolerance = 8e-3;
};

template <class T>
T elementOf(double value) {
  if constexpr (sizeof(T) == 2) {
    return T::from(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <class T>
double numberOf(T element) {
  if constexpr (sizeof(T) == 2) {
    return static_cast<float>(element);
  } else {
    return element;
  }
}

template <class T>
std::vector<T> elementsOf(const std::vector<double>& values) {
  std::vector<T> elements;
  for (const double value : values) elements.push_back(elementOf<T>(value));
  return elements;
}

std::vector<double> randomNumbers(std::int64_t count, double from, double to) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::uniform_real_distribution<double> distribution(from, to);
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(distribution(random));
  return values;
}

// Arguments and results of a loss on the rows of one shard. run() computes the results.
template <class T>
struct Loss {
  using Sum = typename Element<T>::Sum;

  Loss(std::vector<double> logits, std::vector<std::int64_t> classOfRow)
      : rows(static_cast<std::int64_t>(classOfRow.size())),
        classes(rows == 0 ? 0 : static_cast<std::int64_t>(logits.size()) / rows),
        x(elementsOf<T>(logits)),
        ids(std::move(classOfRow)),
        runs{{.begin = 0, .count = classes}} {}

  LogitShard shard() const { return {x.data(), Element<T>::kType, classes}; }
  LossTarget target() const {
    LossTarget target{.ids = {ids.data(), IdType::Int64, rows},
                      .runs = runs.data(),
                      .runCount = static_cast<std::int64_t>(runs.size()),
                      .ignored = kIgnored,
                      .probabilities = probabilities.data(),
                      .weight = weight.empty() ? nullptr : weight.data(),
                      .hard = hard,
                      .soft = soft};
    if (!probabilities.empty()) target.kind = TargetKind::Probabilities;
    return target;
  }
  RowSums sums() { return {max.data(), sum.data(), mass.data(), dot.data()}; }

  void run() {
    const auto count = static_cast<std::size_t>(rows);
    for (auto* each : {&max, &sum, &mass, &dot}) each->assign(count, -7);
    sumRows(shard(), target(), {.begin = 0, .count = rows}, sums());
    const std::vector<Sum> ones(count, 1);
    grad.resize(x.size());
    gradRows(shard(), target(), {.begin = 0, .count = rows}, sums(), {ones.data(), 1}, grad.data());
  }

  double share(std::int64_t row, std::int64_t c) const {
    const auto at = static_cast<std::size_t>(row * classes + c);
    const bool isOwn = ids[static_cast<std::size_t>(row)] == c;
    const double p = probabilities.empty() ? (isOwn ? 1 : 0) : numberOf(probabilities[at]);
    const double w = weight.empty() ? 1 : numberOf(weight[static_cast<std::size_t>(c)]);
    return w * (hard * p + soft);
  }

  // Compares the results with the definition, computed in double.
  void expectPlain() const {
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto at = [&](std::int64_t c) {
        return numberOf(x[static_cast<std::size_t>(row * classes + c)]);
      };
      double m = -kInf, s = 0, u = 0, d = 0;
      for (std::int64_t c = 0; c < classes; ++c) m = std::max(m, at(c));
      for (std::int64_t c = 0; c < classes; ++c) {
        s += std::exp(at(c) - m);
        u += share(row, c);
        d += share(row, c) * (at(c) - m);
      }
      const auto i = static_cast<std::size_t>(row);
      const double near = std::max(Element<Sum>::kTolerance, 1e-12);
      EXPECT_EQ(max[i], m);
      EXPECT_NEAR(sum[i], s, near * s);
      EXPECT_NEAR(mass[i], u, near * (1 + u));
      EXPECT_NEAR(dot[i], d, near * (1 + std::abs(d)));
      for (std::int64_t c = 0; c < classes; ++c) {
        const double expected = u * std::exp(at(c) - m) / s - share(row, c);
        ASSERT_NEAR(numberOf(grad[static_cast<std::size_t>(row * classes + c)]), expected,
                    Element<T>::kTolerance * (1 + std::abs(expected)))
            << "row " << row << " class " << c << " of " << classes;
      }
    }
  }

  std::int64_t rows;
  std::int64_t classes;
  std::vector<T> x;
  std::vector<std::int64_t> ids;
  std::vector<RowRange> runs;
  std::vector<T> probabilities;
  std::vector<T> weight;
  double hard = 1;
  double soft = 0;
  std::vector<Sum> max, sum, mass, dot;
  std::vector<T> grad;
};

template <class T>
class CrossEntropy : public testing::Test {};
using Elements = testing::Types<float, double, Float16, BFloat16>;
TYPED_TEST_SUITE(CrossEntropy, Elements);

TYPED_TEST(CrossEntropy, IsTheDefinitionForEveryNumberOfClasses) {
  for (const std::int64_t classes : {1, 2, 3, 15, 16, 17, 33, 1023, 1024, 1025, 2600}) {
    Loss<TypeParam> loss(randomNumbers(2 * classes, -9, 9), {classes - 1, 0});
    for (const double soft : {0.0, 0.01}) {
      loss.soft = soft;
      loss.hard = 1 - 3 * soft;
      loss.weight.clear();
      loss.run();
      loss.expectPlain();
      loss.weight = elementsOf<TypeParam>(randomNumbers(classes, 0, 2));
      loss.run();
      loss.expectPlain();
    }
  }
}

TYPED_TEST(CrossEntropy, OfProbabilitiesIsTheDefinition) {
  Loss<TypeParam> loss(randomNumbers(2 * 1100, -9, 9), {0, 0});
  loss.probabilities = elementsOf<TypeParam>(randomNumbers(2 * 1100, 0, 0.01));
  loss.run();
  loss.expectPlain();
  loss.weight = elementsOf<TypeParam>(randomNumbers(1100, 0, 2));
  loss.soft = 0.001;
  loss.run();
  loss.expectPlain();
}

// The maximum rises late, so the sums before it must be rescaled.
TYPED_TEST(CrossEntropy, FollowsAMaximumThatRises) {
  std::vector<double> rising(3000);
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = static_cast<double>(i / 8) / 16;
  Loss<TypeParam> loss(rising, {17});
  loss.soft = 1e-4;
  loss.run();
  loss.expectPlain();
}

TYPED_TEST(CrossEntropy, OfAnIgnoredRowIsNothing) {
  Loss<TypeParam> loss({1, kInf, std::nan(""), 4}, {kIgnored, 1});
  loss.run();
  EXPECT_EQ(loss.max[0], 0);
  EXPECT_EQ(loss.sum[0], 1);
  EXPECT_EQ(loss.mass[0], 0);
  EXPECT_EQ(loss.dot[0], 0);
  EXPECT_EQ(numberOf(loss.grad[0]), 0);
  EXPECT_EQ(numberOf(loss.grad[1]), 0);
  EXPECT_TRUE(std::isnan(loss.sum[1]));
  EXPECT_TRUE(std::isnan(numberOf(loss.grad[2])));
  EXPECT_TRUE(std::isnan(numberOf(loss.grad[3])));
}

TYPED_TEST(CrossEntropy, OfImpossibleClassesIsThatOfTheOthers) {
  std::vector<double> logits(40, -kInf);
  logits[7] = 2;
  logits[30] = 2;
  Loss<TypeParam> loss(logits, {30});
  loss.run();
  EXPECT_EQ(loss.max[0], 2);
  EXPECT_EQ(loss.sum[0], 2);
  for (std::size_t c = 0; c < logits.size(); ++c) {
    EXPECT_EQ(numberOf(loss.grad[c]), c == 7 ? 0.5 : c == 30 ? -0.5 : 0) << c;
  }
  Loss<TypeParam> none(std::vector<double>(40, -kInf), {kIgnored + 1});
  none.run();
  EXPECT_EQ(none.max[0], -kInf);
  EXPECT_EQ(none.sum[0], 0);
}

TYPED_TEST(CrossEntropy, OfAShardWithoutClassesAddsNothing) {
  Loss<TypeParam> loss({}, {4, kIgnored});
  loss.soft = 0.1;
  loss.run();
  EXPECT_EQ(loss.max[0], -kInf);
  EXPECT_EQ(loss.sum[0], 0);
  EXPECT_EQ(loss.mass[0], 0);
  EXPECT_EQ(loss.dot[0], 0);
  EXPECT_EQ(loss.max[1], 0);
}

// The shard has the classes 3, 4, 10 and 11.
TYPED_TEST(CrossEntropy, FindsClassesOfAShardInSeveralRuns) {
  Loss<TypeParam> loss({0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7}, {11, 5, 4});
  loss.runs = {{.begin = 3, .count = 2}, {.begin = 10, .count = 2}};
  loss.weight = elementsOf<TypeParam>({1, 2, 3, 4});
  loss.run();
  EXPECT_EQ(loss.mass, (decltype(loss.mass){4, 0, 2}));
  EXPECT_EQ(loss.dot, (decltype(loss.dot){0, 0, -4}));
  EXPECT_EQ(numberOf(loss.grad[3]), -3);
}

TEST(CrossEntropyRows, AreDoneInAnyPortionsAndWithIdsOfEitherType) {
  Loss<float> loss(randomNumbers(5 * 20, -3, 3), {1, 7, kIgnored, 19, 4});
  loss.run();
  Loss<float> other = loss;
  const std::vector<std::int32_t> narrow(loss.ids.begin(), loss.ids.end());
  auto target = other.target();
  target.ids = {narrow.data(), IdType::Int32, 5};
  const float three = 3;
  for (auto* each : {&other.max, &other.sum, &other.mass, &other.dot}) each->assign(5, -7);
  std::fill(other.grad.begin(), other.grad.end(), -7.F);
  for (const RowRange range : {RowRange{3, 2}, RowRange{0, 3}}) {
    sumRows(other.shard(), target, range, other.sums());
    gradRows(other.shard(), target, range, other.sums(), {&three, 0}, other.grad.data());
  }
  EXPECT_EQ(other.max, loss.max);
  EXPECT_EQ(other.sum, loss.sum);
  EXPECT_EQ(other.dot, loss.dot);
  for (std::size_t i = 0; i < loss.grad.size(); ++i) {
    EXPECT_NEAR(other.grad[i], 3 * loss.grad[i], 1e-6);
  }
}

// Arguments with a normal exponential, and arguments whose exponential underflows to 0.
TEST(CrossEntropyRows, HaveExponentialsToTheLastBits) {
  for (double x = 0; x > -86.9; x -= 0.0137) {
    Loss<float> loss({x, 0}, {1});
    loss.run();
    const double exact = std::exp(static_cast<double>(static_cast<float>(x)));
    const double got = static_cast<double>(loss.grad[0]) * static_cast<double>(loss.sum[0]);
    ASSERT_NEAR(got, exact, 3e-7 * exact) << x;
  }
  for (const double x : {-87.5, -104.0, -1e6, -3e38, -kInf}) {
    Loss<float> loss({x, 0}, {1});
    loss.run();
    EXPECT_EQ(loss.grad[0], 0) << x;
  }
}

}  // namespace
}  // namespace shardlens::kernels
