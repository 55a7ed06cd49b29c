#include "ui/scenes/sampling.h"

#include <algorithm>

namespace shardlens {
namespace {

std::int64_t spansOf(const Runs& runs, std::int64_t length) {
  std::int64_t count = 0;
  for (const Run& run : runs) {
    count += (run.length + length - 1) / length;
  }
  return count;
}

// Returns the shortest span length with which all spans fit, or the longest run if none does.
std::int64_t shortest(const Runs& runs, std::int64_t most) {
  std::int64_t low = 1;
  std::int64_t high = 1;
  for (const Run& run : runs) {
    high = std::max(high, run.length);
  }
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (spansOf(runs, middle) <= most) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

std::vector<Stretch> sampled(const Runs& runs, std::int64_t most) {
  const std::int64_t length = shortest(runs, most);
  std::vector<Stretch> spans;
  std::int64_t begin = 0;
  for (const Run& run : runs) {
    for (std::int64_t at = 0; at < run.length; at += length) {
      if (static_cast<std::int64_t>(spans.size()) == most) {
        return spans;
      }
      spans.push_back({begin + at, std::min(length, run.length - at)});
    }
    begin += run.length;
  }
  return spans;
}

std::int64_t sampledCount(const Runs& runs, std::int64_t most) {
  return std::min(spansOf(runs, shortest(runs, most)), most);
}

}  // namespace shardlens
