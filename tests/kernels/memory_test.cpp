#include "kernels/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace shardlens::kernels {
namespace {

constexpr std::int64_t kLarge = std::int64_t{4} << 20;

// Nothing before and behind is touched, wherever the memory begins.
template <class Check>
void forManyPlaces(Check check) {
  for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{1}, std::int64_t{100}, kLarge - 1,
                                   kLarge, kLarge + 17, kLarge + 64}) {
    for (const std::int64_t offset : {0, 1, 15, 16}) check(bytes, offset);
  }
}

TEST(Memory, IsZeroedFromEndToEnd) {
  forManyPlaces([](std::int64_t bytes, std::int64_t offset) {
    std::vector<unsigned char> memory(static_cast<std::size_t>(bytes + offset + 1), 7);
    zeroMemory(memory.data() + offset, bytes);
    EXPECT_EQ(std::count(memory.begin(), memory.end(), 0), bytes);
    EXPECT_EQ(std::count(memory.begin(), memory.begin() + offset, 7), offset);
    EXPECT_EQ(memory.back(), 7);
  });
}

TEST(Memory, IsCopiedFromEndToEnd) {
  forManyPlaces([](std::int64_t bytes, std::int64_t offset) {
    std::vector<unsigned char> from(static_cast<std::size_t>(bytes + 3));
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i % 251);
    std::vector<unsigned char> to(static_cast<std::size_t>(bytes + offset + 1), 255);
    copyMemory(to.data() + offset, from.data() + 3, bytes);
    EXPECT_TRUE(std::equal(from.begin() + 3, from.end(), to.begin() + offset));
    EXPECT_EQ(std::count(to.begin(), to.end(), 255), offset + 1);
  });
}

}  // namespace
}  // namespace shardlens::kernels
