#include "core/base/check.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

TEST(Check, PassesATrueCondition) { EXPECT_NO_THROW(SL_CHECK(1 + 1 == 2, "sums")); }

TEST(Check, NamesThePlaceAndTheBrokenCondition) {
  try {
    SL_CHECK(1 + 1 == 3, "sums");
    FAIL() << "nothing was thrown";
  } catch (const CheckFailed& failed) {
    const std::string text = failed.what();
    EXPECT_NE(text.find("check_test.cpp:"), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with(": 1 + 1 == 3: sums")) << text;
  }
}

}  // namespace
}  // namespace shardlens
