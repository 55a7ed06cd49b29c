#include "core/trace/events/element_hash.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <vector>

namespace shardlens {
namespace {

template <class T>
std::uint64_t hashOf(const std::vector<T>& elements) {
  return elementHash(std::as_bytes(std::span(elements)));
}

TEST(ElementHash, OfEachSizeFollowsTheDefinition) {
  std::vector<std::uint8_t> bytes;
  for (int size = 0; size < 100; ++size, bytes.push_back(static_cast<std::uint8_t>(3 * size))) {
    const auto mix = [](std::uint64_t x) {
      x ^= x >> 32U;
      x *= 0xd6e8feb86659fd93U;
      return x ^ (x >> 29U);
    };
    std::uint64_t expected = mix(bytes.size());
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
      expected += mix(word + (at / 8 + 1) * 0x9e3779b97f4a7c15U);
    }
    EXPECT_EQ(hashOf(bytes), expected) << size;
  }
}

TEST(ElementHash, DoesNotDependOnTheAlignment) {
  std::vector<std::uint8_t> bytes(65, 7);
  const std::span<const std::uint8_t> all(bytes);
  EXPECT_EQ(elementHash(std::as_bytes(all.first(64))), elementHash(std::as_bytes(all.subspan(1))));
}

// Signs that change in two places do not cancel out, nor do elements that change places.
TEST(ElementHash, DiffersForOtherBytes) {
  const std::vector<std::vector<float>> all{{},
                                            {0},
                                            {-0.0F},
                                            {0, 0},
                                            {0, 0, 0},
                                            {1, 2, 3, 4, 5, 6, 7, 8},
                                            {1, -2, 3, -4, 5, 6, 7, 8},
                                            {1, -2, 3, 4, 5, -6, 7, 8},
                                            {3, 4, 1, 2, 5, 6, 7, 8},
                                            {2, 1, 3, 4, 5, 6, 7, 8},
                                            {1, 2, 3, 4, 5, 6, 7, std::nanf("")},
                                            {1, 2, 3, 4, 5, 6, 7, -std::nanf("")}};
  std::set<std::uint64_t> hashes;
  for (const auto& elements : all) hashes.insert(hashOf(elements));
  EXPECT_EQ(hashes.size(), all.size());
  EXPECT_EQ(hashOf(all[10]), hashOf(std::vector(all[10])));
}

}  // namespace
}  // namespace shardlens
