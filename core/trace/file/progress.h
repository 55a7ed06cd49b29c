#pragma once

#include <functional>

namespace shardlens {

// Told from time to time how much of something long is done, 0 to 1. It may throw to end it.
using Progress = std::function<void(double done)>;

// The progress of a part of the whole, from `begin` to `end`.
inline Progress partOf(const Progress& whole, double begin, double end) {
  if (!whole) return {};
  return [whole, begin, end](double done) { whole(begin + done * (end - begin)); };
}

}  // namespace shardlens
