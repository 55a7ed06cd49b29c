#include "core/base/bounded_cache.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace shardlens {
namespace {

using Cache = BoundedCache<std::string, int>;

std::string keysOf(const Cache& cache) {
  std::string keys;
  cache.visit([&](const auto& entry) {
    keys += entry.key;
    return true;
  });
  return keys;
}

TEST(BoundedCache, CountsHitsMissesAndUses) {
  Cache cache(2);
  EXPECT_FALSE(cache.find("a"));
  cache.insert("a", 1);
  EXPECT_EQ(cache.find("a")->value, 1);
  EXPECT_EQ(cache.find("a")->uses, 2);
  EXPECT_FALSE(cache.find("b"));
  EXPECT_EQ(cache.hits(), 2u);
  EXPECT_EQ(cache.misses(), 2u);
}

TEST(BoundedCache, EvictsTheLeastRecentlyUsedEntry) {
  Cache cache(2);
  cache.insert("a", 1);
  cache.insert("b", 2);
  EXPECT_TRUE(cache.find("a"));
  cache.insert("c", 3);
  EXPECT_EQ(keysOf(cache), "ca");
  EXPECT_FALSE(cache.find("b"));
  EXPECT_EQ(cache.find("a")->value, 1);
  EXPECT_EQ(cache.find("c")->value, 3);
}

TEST(BoundedCache, ReportsTheAgeOfAnEntryInLookups) {
  Cache cache(2);
  cache.insert("a", 1);
  EXPECT_EQ(cache.find("a")->age, 1u);
  cache.find("b");
  cache.insert("b", 2);
  EXPECT_EQ(cache.find("b")->age, 1u);
  EXPECT_EQ(cache.find("a")->age, 4u);
}

TEST(BoundedCache, KeepsOneAnswerToAQuestion) {
  Cache cache(2);
  cache.insert("a", 1);
  cache.insert("a", 2);
  EXPECT_EQ(cache.size(), 1u);
  EXPECT_EQ(cache.find("a")->value, 2);
}

TEST(BoundedCache, HoldsAsManyAsItMay) {
  Cache cache(1);
  cache.insert("a", 1);
  EXPECT_EQ(keysOf(cache), "a");
  cache.insert("b", 2);
  EXPECT_EQ(keysOf(cache), "b");
}

}  // namespace
}  // namespace shardlens
