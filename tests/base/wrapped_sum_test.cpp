#include "core/base/wrapped_sum.h"

#include <gtest/gtest.h>

#include <limits>

namespace shardlens {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

// Overflow is undefined for `+` and `*`, which UndefinedBehaviorSanitizer reports.
TEST(WrappedSum, IsModulo2To64) {
  EXPECT_EQ(wrappedSum(2, 3), 5);
  EXPECT_EQ(wrappedSum(kMost, 1), kLeast);
  EXPECT_EQ(wrappedSum(kLeast, -1), kMost);
  EXPECT_EQ(wrappedProduct(-4, 5), -20);
  EXPECT_EQ(wrappedProduct(kMost, 2), -2);
}

TEST(WrappedSum, TotalsDoNotDependOnTheOrder) {
  std::int64_t total = kMost;
  increase(total, 10);
  increase(total, -10);
  EXPECT_EQ(total, kMost);
}

}  // namespace
}  // namespace shardlens
