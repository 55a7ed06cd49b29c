#include "kernels/float16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace shardlens::kernels {
namespace {

TEST(Float16, IsItselfAfterWideningAndNarrowing) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const Float16 half{static_cast<std::uint16_t>(bits)};
    const auto wide = static_cast<float>(half);
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(Float16::from(wide))));
    } else {
      ASSERT_EQ(Float16::from(wide).bits, bits);
    }
  }
}

TEST(Float16, RoundsToTheNearestAndToEven) {
  EXPECT_EQ(static_cast<float>(Float16{0x0001}), 0x1p-24F);
  EXPECT_EQ(static_cast<float>(Float16{0x7BFF}), 65504.0F);
  EXPECT_EQ(Float16::from(1.0F + 0x1p-11F).bits, 0x3C00);
  EXPECT_EQ(Float16::from(1.0F + 3 * 0x1p-11F).bits, 0x3C02);
  EXPECT_EQ(Float16::from(1.0F + 0x1.8p-11F).bits, 0x3C01);
  EXPECT_EQ(Float16::from(0x1p-25F).bits, 0x0000);
  EXPECT_EQ(Float16::from(0x1.8p-25F).bits, 0x0001);
  EXPECT_EQ(Float16::from(65519.0F).bits, 0x7BFF);
  EXPECT_EQ(Float16::from(65520.0F).bits, 0x7C00);
  EXPECT_EQ(Float16::from(-1e30F).bits, 0xFC00);
  EXPECT_EQ(Float16::from(-std::numeric_limits<float>::infinity()).bits, 0xFC00);
}

TEST(BFloat16, IsItselfAfterWideningAndNarrowing) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const BFloat16 brain{static_cast<std::uint16_t>(bits)};
    const auto wide = static_cast<float>(brain);
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16::from(wide))));
    } else {
      ASSERT_EQ(BFloat16::from(wide).bits, bits);
    }
  }
}

TEST(BFloat16, RoundsToTheNearestAndToEven) {
  EXPECT_EQ(BFloat16::from(1.0F + 0x1p-8F).bits, 0x3F80);
  EXPECT_EQ(BFloat16::from(1.0F + 3 * 0x1p-8F).bits, 0x3F82);
  EXPECT_EQ(BFloat16::from(std::numeric_limits<float>::max()).bits, 0x7F80);
}

}  // namespace
}  // namespace shardlens::kernels
