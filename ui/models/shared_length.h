#pragma once

#include <algorithm>
#include <cstddef>

namespace shardlens {

// How many units two texts begin with alike: bytes of a std::string, UTF-16 of a QString.
template <class Text>
std::ptrdiff_t sharedLength(const Text& one, const Text& other) {
  const auto apart = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  return apart.first - one.begin();
}

}  // namespace shardlens
