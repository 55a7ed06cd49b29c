#include "core/base/bounded_cache.h"

#include <gtest/gtest.h>

#include <string>

namespace shardlens {
namespace {

using Cache = BoundedCache<std::string, int>;

std::string keysOf(const Cache& cache) {
  std::string keys;
  for (const auto& entry : cache.entries()) keys += entry.key;
  return keys;
}

TEST(BoundedCache, CountsHitsMissesAndUses) {
  Cache cache(2);
  EXPECT_EQ(cache.find("a"), nullptr);
  cache.insert("a", 1);
  EXPECT_EQ(cache.find("a")->value, 1);
  EXPECT_EQ(cache.find("a")->uses, 2);
  EXPECT_EQ(cache.find("b"), nullptr);
  EXPECT_EQ(cache.hits(), 2u);
  EXPECT_EQ(cache.misses(), 2u);
}

TEST(BoundedCache, ForgetsWhatWasNotAskedForLongest) {
  Cache cache(2);
  cache.insert("a", 1);
  cache.insert("b", 2);
  EXPECT_NE(cache.find("a"), nullptr);
  cache.insert("c", 3);
  EXPECT_EQ(keysOf(cache), "ca");
  EXPECT_EQ(cache.find("b"), nullptr);
  EXPECT_EQ(cache.find("a")->value, 1);
  EXPECT_EQ(cache.find("c")->value, 3);
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
