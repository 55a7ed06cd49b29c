#include "core/base/little_endian.h"

#include <gtest/gtest.h>

#include <string_view>

namespace shardlens {
namespace {

TEST(LittleEndian, ReadsTheLeastSignificantByteFirst) {
  EXPECT_EQ(littleEndian(std::string_view("\x01\x02\x83", 3)), 0x830201U);
  EXPECT_EQ(littleEndian(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff")), ~std::uint64_t{0});
  EXPECT_EQ(littleEndian(std::string_view("\0\0\0\0\0\0\0\x80", 8)), std::uint64_t{1} << 63U);
  EXPECT_EQ(littleEndian(std::string_view()), 0U);
}

}  // namespace
}  // namespace shardlens
