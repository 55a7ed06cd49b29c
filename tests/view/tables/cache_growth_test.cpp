#include "core/view/tables/cache_growth.h"

#include "core/trace/snapshot/state_index.h"
#include "tests/view/lookup_run.h"

#include <gmock/gmock.h>

namespace shardlens::view {
namespace {

TEST(CacheGrowth, EqualsTheCountsOfSnapshots) {
  Journal journal;
  recordLookup(journal);
  StateIndex states(journal);
  const Snapshot end = states.at(journal.size());
  const auto growth = cacheGrowth(end.histories->planCache, journal.size());
  ASSERT_EQ(growth.size(), journal.size() + 1);
  for (EventId position = 0; position <= journal.size(); ++position) {
    const CacheState cache = states.at(position).planCache;
    const double all = cache.hits + cache.misses;
    EXPECT_EQ(growth[position],
              (CacheGrowth{position, cache.entries.size(), all == 0 ? 0 : cache.hits / all}));
  }
  EXPECT_EQ(growth.back().hitRate, 0.5);
}

TEST(CacheGrowth, OfManyEventsHasSoManyPoints) {
  CacheHistory cache;
  EXPECT_TRUE(cacheGrowth(cache, 1000).empty());
  cache.miss(500, 0, /*isKept=*/true);
  cache.use(500, 600);
  cache.use(500, 700);
  cache.use(400, 800);  // an entry without a miss
  const auto growth = cacheGrowth(cache, 1280);
  ASSERT_EQ(growth.size(), 129U);
  EXPECT_EQ(growth[49], (CacheGrowth{490, 0, 0}));
  EXPECT_EQ(growth[50], (CacheGrowth{500, 1, 0}));
  EXPECT_EQ(growth[59], (CacheGrowth{590, 1, 0}));
  EXPECT_EQ(growth[60], (CacheGrowth{600, 1, 0.5}));
  EXPECT_EQ(growth[128], (CacheGrowth{1280, 1, 2.0 / 3}));
  cache.evict(500, 1281);
  EXPECT_EQ(cacheGrowth(cache, 1281).back(), (CacheGrowth{1281, 0, 2.0 / 3}));
}

}  // namespace
}  // namespace shardlens::view
