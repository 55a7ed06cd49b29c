#include "core/trace/events/element_hash.h"

#include <array>
#include <bit>
#include <cstring>

namespace shardlens {
namespace {

constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15, kFactor = 0xd6e8feb86659fd93;
constexpr std::size_t kWord = sizeof(std::uint64_t);
static_assert(std::endian::native == std::endian::little);

std::uint64_t mix(std::uint64_t word) {
  word ^= word >> 32U;
  word *= kFactor;
  return word ^ (word >> 29U);
}

std::uint64_t wordAt(const std::byte* data) {
  std::uint64_t word = 0;
  std::memcpy(&word, data, kWord);
  return word;
}

}  // namespace

std::uint64_t elementHash(std::span<const std::byte> elements) {
  constexpr std::size_t kLanes = 4;  // independent sums, so that the processor overlaps them
  const std::size_t words = elements.size() / kWord;
  std::array<std::uint64_t, kLanes> sums{};
  std::size_t at = 0;
  for (; at + kLanes <= words; at += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t i = at + lane;
      sums[lane] += mix(wordAt(elements.data() + i * kWord) + (i + 1) * kStep);
    }
  }
  std::uint64_t hash = sums[0] + sums[1] + sums[2] + sums[3] + mix(elements.size());
  for (; at < words; ++at) hash += mix(wordAt(elements.data() + at * kWord) + (at + 1) * kStep);
  if (const auto rest = elements.subspan(words * kWord); !rest.empty()) {
    std::uint64_t word = 0;
    std::memcpy(&word, rest.data(), rest.size());
    hash += mix(word + (words + 1) * kStep);
  }
  return hash;
}

}  // namespace shardlens
