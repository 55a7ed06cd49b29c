#include "core/trace/snapshot/buffer_history.h"
#include "core/trace/snapshot/cache_history.h"
#include "core/trace/snapshot/lifetimes.h"
#include "core/trace/snapshot/versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Two objects change in turns: one at even events, the other at odd ones.
TEST(Versions, EachStateLastsUntilTheNext) {
  constexpr EventId kLast = 1000;
  Versions<EventId> versions;
  std::array<Versions<EventId>::Place, 2> newest{};
  for (EventId at = 2; at <= kLast; ++at) {
    newest[at % 2] = versions.add(newest[at % 2], at, at * 10);
  }
  for (EventId position = 4; position <= kLast; ++position) {
    for (const EventId thing : {0U, 1U}) {
      const EventId since = position - (position + thing) % 2;
      const auto found = versions.at(newest[thing], position);
      ASSERT_TRUE(found.has_value()) << position;
      ASSERT_EQ(found->since, since);
      ASSERT_EQ(found->state, since * 10);
    }
  }
  EXPECT_FALSE(versions.at(newest[0], 1));
  EXPECT_FALSE(versions.at(newest[1], 2));
  EXPECT_TRUE(versions.at(newest[1], 3));
  EXPECT_FALSE(versions.at(0, kLast));
}

TEST(Versions, TheLastStateOfAnEventIsItsState) {
  Versions<int> versions;
  auto newest = versions.add(0, 5, 1);
  newest = versions.add(newest, 5, 2);
  EXPECT_EQ(versions.at(newest, 5)->state, 2);
  EXPECT_FALSE(versions.at(newest, 4));
}

TEST(Lifetimes, AreThereFromTheirBeginningUntilTheirEnd) {
  Lifetimes lives;
  lives.begin(10);
  lives.begin(20);
  lives.begin(30);
  lives.end(1, 40);
  EXPECT_THAT(lives.at(9), IsEmpty());
  EXPECT_THAT(lives.at(10), ElementsAre(0));
  EXPECT_THAT(lives.at(29), ElementsAre(0, 1));
  EXPECT_THAT(lives.at(39), ElementsAre(0, 1, 2));
  EXPECT_THAT(lives.at(40), ElementsAre(0, 2));
  EXPECT_THAT(lives.open(), ElementsAre(0, 2));
  EXPECT_EQ(lives.find(20), 1U);
  EXPECT_EQ(lives.find(21), std::nullopt);
}

// One lifetime stays open. Each of the others ends before the next begins.
TEST(Lifetimes, FewOfManyAreFound) {
  Lifetimes lives;
  lives.begin(1);
  for (EventId at = 2; at < 2000; at += 2) lives.end(lives.begin(at), at + 1);
  EXPECT_THAT(lives.at(1000), ElementsAre(0, 500));
  EXPECT_THAT(lives.at(1001), ElementsAre(0));
  EXPECT_THAT(lives.at(1998), ElementsAre(0, 999));
  EXPECT_THAT(lives.at(1999), ElementsAre(0));
}

TEST(BufferHistory, AliasesShareAHoldAndItsName) {
  BufferHistory buffers;
  buffers.materialize(1, 7, 1, 3, "y");
  buffers.join(2, 1, 20, "y");
  buffers.join(3, 1, 21, "y");
  buffers.materialize(4, 7, 2, 3, "y");
  buffers.join(5, 4, 22, "z");
  EXPECT_EQ(*buffers.at(7, 3), (BufferState{7, 1, 3, {"y"}, {20, 21}, 1}));
  EXPECT_EQ(*buffers.at(7, 5), (BufferState{7, 2, 3, {"y", "y", "z"}, {20, 21, 22}, 4}));
  EXPECT_THAT(buffers.release(6, 7, 1, 1), ::testing::UnorderedElementsAre(20, 21));
  EXPECT_EQ(*buffers.at(7, 6), (BufferState{7, 1, 3, {"y", "z"}, {22}, 6}));
  EXPECT_EQ(buffers.heldBy(1), 0U);
  EXPECT_EQ(buffers.heldBy(4), 7U);
}

TEST(BufferHistory, ALeavingHolderIsRemovedAndTheBufferStaysHeld) {
  BufferHistory buffers;
  buffers.materialize(1, 7, 1, 3, "x'");
  buffers.join(2, 1, 20, "x'");
  buffers.join(3, 1, 21, "y");
  buffers.leave(4, 1, 21);
  EXPECT_EQ(*buffers.at(7, 3), (BufferState{7, 1, 3, {"x'", "y"}, {20, 21}, 1}));
  EXPECT_EQ(*buffers.at(7, 4), (BufferState{7, 1, 3, {"x'"}, {20}, 1}));
  EXPECT_THAT(buffers.release(5, 7, 0, 1), ElementsAre(20));
}

TEST(BufferHistory, AReleasedBufferHasNoHolders) {
  BufferHistory buffers;
  buffers.materialize(1, 7, 2, 3, "y");
  buffers.join(2, 1, 20, "y");
  buffers.materialize(3, 8, 1, 4, "u");
  EXPECT_EQ(buffers.liveAt(2), 1);
  EXPECT_EQ(buffers.liveAt(3), 2);
  EXPECT_THAT(buffers.release(4, 7, 0, 0), ElementsAre(20));
  EXPECT_EQ(*buffers.at(7, 4), (BufferState{7, 0, 3, {}, {}, 4}));
  EXPECT_EQ(buffers.liveAt(4), 1);
  EXPECT_EQ(buffers.newestChangeAt(3), 3U);
  EXPECT_EQ(buffers.newestChangeAt(0), 0U);
}

TEST(BufferHistory, CountsEventsUpToAPosition) {
  using Counts = BufferHistory::Counts;
  BufferHistory buffers;
  buffers.materialize(1, 7, 1, 3, "y");
  buffers.materialize(2, 8, 1, 4, "u");
  buffers.materialize(3, 7, 2, 3, "z");
  buffers.touch(4, 7);
  buffers.release(5, 7, 1, 1);
  buffers.release(6, 7, 0, 3);
  buffers.materialize(7, 7, 1, 3, "v");
  EXPECT_EQ(buffers.countsAt(7, 0), Counts());
  EXPECT_EQ(buffers.countsAt(7, 2), (Counts{1, 0, 0, 0}));
  EXPECT_EQ(buffers.countsAt(7, 4), (Counts{1, 1, 1, 0}));
  EXPECT_EQ(buffers.countsAt(7, 6), (Counts{1, 1, 1, 2}));
  EXPECT_EQ(buffers.countsAt(7, 7), (Counts{1, 2, 1, 2}));
  EXPECT_EQ(buffers.countsAt(8, 7), (Counts{2, 0, 0, 0}));
  EXPECT_EQ(buffers.at(7, 4)->mask, 3U);
  EXPECT_EQ(buffers.placeOf(8), 1U);
  EXPECT_EQ(buffers.placeOf(9), std::nullopt);
}

TEST(CacheHistory, CountsTheMissesOfAKeyThoughItsEntriesGo) {
  CacheHistory cache;
  cache.miss(1, 20, /*isKept=*/true);
  cache.miss(2, 21, /*isKept=*/true);
  cache.evict(1, 3);
  cache.miss(4, 20, /*isKept=*/false);
  cache.miss(5, 20, /*isKept=*/true);
  cache.miss(6, 0, /*isKept=*/true);
  cache.miss(7, 0, /*isKept=*/true);
  EXPECT_EQ(cache.missesOf(1), 1);
  EXPECT_EQ(cache.missesOf(2), 1);
  EXPECT_EQ(cache.missesOf(5), 3);
  EXPECT_EQ(cache.missesOf(7), 1);
  EXPECT_EQ(cache.missesOf(4), 0);
  EXPECT_EQ(cache.entriesAt(5).size(), 2U);
}

}  // namespace

}  // namespace shardlens
