#pragma once

#include "core/trace/snapshot/cache_history.h"

#include <vector>

namespace shardlens::view {

// The size and hit rate of a cache at a position. The hit rate is hits / (hits + entries made so
// far), from 0 to 1.
struct CacheGrowth {
  EventId position = 0;
  std::size_t entries = 0;
  double hitRate = 0;
  bool operator==(const CacheGrowth&) const = default;
};

// Returns up to 129 samples from position 0 to `last`, evenly spaced, for a line chart. Empty if no
// entry was ever made.
std::vector<CacheGrowth> cacheGrowth(const CacheHistory& cache, EventId last);

}  // namespace shardlens::view
