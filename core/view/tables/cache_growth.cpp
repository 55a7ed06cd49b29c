#include "core/view/tables/cache_growth.h"

#include <algorithm>

namespace shardlens::view {
namespace {

constexpr EventId kMost = 128;

CacheGrowth growthAt(const CacheHistory& cache, EventId position) {
  const auto counts = cache.countsAt(position);
  const std::size_t all = counts.made + counts.hits;
  return {.position = position,
          .entries = counts.entries,
          .hitRate = all == 0 ? 0 : static_cast<double>(counts.hits) / static_cast<double>(all)};
}

}  // namespace

std::vector<CacheGrowth> cacheGrowth(const CacheHistory& cache, EventId last) {
  if (cache.countsAt(last).made == 0) return {};
  const EventId count = std::min(last, kMost);
  std::vector<CacheGrowth> growth;
  for (EventId i = 0; i <= count; ++i) {
    growth.push_back(
        growthAt(cache, static_cast<EventId>(static_cast<std::uint64_t>(last) * i / count)));
  }
  return growth;
}

}  // namespace shardlens::view
