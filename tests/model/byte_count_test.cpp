#include "core/model/byte_count.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

TEST(ByteCount, IsWrittenInBinaryUnits) {
  EXPECT_EQ(byteCountText(0), "0 B");
  EXPECT_EQ(byteCountText(1), "1 B");
  EXPECT_EQ(byteCountText(1023), "1023 B");
  EXPECT_EQ(byteCountText(1024), "1.0 KiB");
  EXPECT_EQ(byteCountText(1536), "1.5 KiB");
  EXPECT_EQ(byteCountText(16 << 20), "16.0 MiB");
  EXPECT_EQ(byteCountText(std::int64_t{3} << 40), "3.0 TiB");
}

TEST(ByteCount, ChangesTheUnitWhereRoundingReachesTheNext) {
  EXPECT_EQ(byteCountText((1 << 20) - 52), "1023.9 KiB");
  EXPECT_EQ(byteCountText((1 << 20) - 51), "1.0 MiB");
  EXPECT_EQ(byteCountText(std::int64_t{1} << 50), "1024.0 TiB");
}

}  // namespace
}  // namespace shardlens
