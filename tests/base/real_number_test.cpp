#include "core/base/real_number.h"

#include <gtest/gtest.h>

#include <clocale>

namespace shardlens {
namespace {

TEST(RealNumber, IsReadInEveryLocale) {
  const bool hasComma = std::setlocale(LC_NUMERIC, "de_DE.UTF-8") != nullptr;
  EXPECT_EQ(realNumber("1.5e3"), 1500);
  EXPECT_EQ(realNumber("-0.25 s"), -0.25);
  EXPECT_EQ(realNumber("1e999"), 0);
  EXPECT_EQ(realNumber("x"), 0);
  std::setlocale(LC_NUMERIC, "C");
  if (!hasComma) GTEST_SKIP() << "no locale de_DE.UTF-8: read in that of the program";
}

}  // namespace
}  // namespace shardlens
