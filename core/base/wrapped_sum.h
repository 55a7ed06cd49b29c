#pragma once

#include <cstdint>

namespace shardlens {

// Return a + b and a * b modulo 2^64. Unlike `+` and `*`, they are defined for any numbers, which a
// damaged recording may have.
inline std::int64_t wrappedSum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

inline std::int64_t wrappedProduct(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

// Adds to a total in the same way. Sums do not depend on their order.
inline void increase(std::int64_t& total, std::int64_t by) { total = wrappedSum(total, by); }

}  // namespace shardlens
