#include "core/trace/merge/step_index.h"

#include <cstdint>
#include <functional>

namespace shardlens {

std::size_t MatchKeyHash::operator()(const MatchKey& key) const {
  const auto mix = [](std::uint64_t hash, std::uint64_t value) {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio
    hash = (hash ^ value) * kOdd;
    return hash ^ (hash >> 29);
  };
  std::uint64_t hash = mix(0, key.name);
  hash = mix(hash, static_cast<std::uint64_t>(key.kind) << 16 |
                       static_cast<std::uint64_t>(key.verdict) << 8 |
                       static_cast<std::uint64_t>(key.number));
  hash = mix(hash, static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.meshDim)));
  hash = mix(hash, std::uint64_t{key.group} << 32 | key.sequence);
  return hash;
}

}  // namespace shardlens
