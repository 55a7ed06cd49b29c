#include "core/base/bounded_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
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

TEST(BoundedCache, ForgetsWhatWasNotAskedForLongest) {
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

TEST(BoundedCache, TellsTheAgeOfAnAnswerInLookups) {
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

TEST(BoundedCache, MayBeAskedByManyThreads) {
  constexpr int kThreads = 4, kTurns = 2000;
  Cache cache(8);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kTurns; ++i) {
        const int number = (i * (t + 1)) % 16;
        const auto hit = cache.find(std::to_string(number));
        if (hit && hit->value != number) ++wrong;
        if (!hit) cache.insert(std::to_string(number), number);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(cache.hits() + cache.misses(), static_cast<std::size_t>(kThreads * kTurns));
  EXPECT_EQ(cache.size(), 8u);
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
