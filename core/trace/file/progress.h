#pragma once

#include <functional>

namespace shardlens {

// A callback that receives the completed fraction of a long operation, 0 to 1. It may throw to
// cancel the operation. May be empty.
using Progress = std::function<void(double done)>;

// Maps the progress 0 to 1 of a part to `begin` to `end` of the whole. Empty if `whole` is.
inline Progress partOf(const Progress& whole, double begin, double end) {
  if (!whole) return {};
  return [whole, begin, end](double done) { whole(begin + done * (end - begin)); };
}

}  // namespace shardlens
