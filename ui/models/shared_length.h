#pragma once

#include <algorithm>
#include <cstddef>

namespace shardlens {

// Returns the length of the common prefix, in elements: bytes of a std::string, UTF-16 units of a
// QString.
template <class Text>
std::ptrdiff_t sharedLength(const Text& one, const Text& other) {
  const auto apart = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  return apart.first - one.begin();
}

// Returns the length of the common suffix after the common prefix of `start` elements.
template <class Text>
std::ptrdiff_t sharedEnd(const Text& one, const Text& other, std::ptrdiff_t start) {
  const auto apart =
      std::mismatch(one.rbegin(), one.rend() - start, other.rbegin(), other.rend() - start);
  return apart.first - one.rbegin();
}

}  // namespace shardlens
