#pragma once

#include "core/trace/snapshot/cache_history.h"

#include <vector>

namespace shardlens::view {

// How large a cache was at some position, and which part of its look-ups had hit until then, from 0
// to 1.
struct CacheGrowth {
  EventId position = 0;
  std::size_t entries = 0;
  double hitRate = 0;
  bool operator==(const CacheGrowth&) const = default;
};

// From the beginning to the last event, at so many positions that a line can be drawn of them; at
// each position where there are few. None of a cache that nothing was looked up in.
std::vector<CacheGrowth> cacheGrowth(const CacheHistory& cache, EventId last);

}  // namespace shardlens::view
