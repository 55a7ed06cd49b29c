// Tests that a track finds the same columns and spans as a walk over all spans, and reads few of
// them.
#include "core/view/timeline/timeline_track.h"

#include "core/view/timeline/span_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

namespace shardlens::view {
namespace {

// Returns steps with nested operators and work of very different lengths, and pauses.
std::vector<TimelineSpan> generated(std::size_t count) {
  std::mt19937 random(7);
  const auto any = [&](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(random);
  };
  std::vector<TimelineSpan> spans;
  std::int64_t now = 1000;
  std::int64_t stepEnd = 0;
  while (spans.size() < count) {
    const auto id = static_cast<EventId>(spans.size() + 1);
    if (now >= stepEnd) {
      stepEnd = now + 20000 + any(90000);
      spans.push_back({.event = id, .kind = SpanKind::Step, .begin = now, .end = stepEnd});
      continue;
    }
    TimelineSpan span{.event = id, .kind = static_cast<SpanKind>(1 + any(5)), .begin = now};
    span.axis = static_cast<int>(any(3));
    span.end = isMoment(span.kind) ? now : now + any(any(30) == 0 ? 40000 : 300);
    if (span.kind == SpanKind::Collective) {
      span.isImplicit = any(1) == 0;
      span.overlapped = any(span.end - span.begin);
      span.wait = any(span.end - span.begin);
      span.waitBegin = span.end - span.wait - any(span.end - span.begin - span.wait);
    }
    now = any(3) == 0 ? now + any(200) : std::max(now, span.end);
    spans.push_back(span);
  }
  return spans;
}

TEST(TimelineTrack, LevelsAreEqualToAWalkAtEachZoom) {
  const auto spans = generated(20000);
  TimelineTrack track([&](EventId id) { return std::optional(spans[id - 1]); });
  for (const auto& span : spans) track.take(span);
  track.update();
  std::int64_t from = track.begin() - 500;
  std::int64_t length = track.end() - from + 700;
  std::mt19937 random(3);
  for (int zoom = 0; length >= 1; ++zoom) {
    const TimelineGrid grid(from, from + length, 301);
    std::vector<TimelineColumn> walked(301);
    std::vector<TimelineSpan> seen;
    const std::int64_t least = zoom % 3 == 0 ? 0 : length / 100;
    for (const auto& span : spans) {
      grid.put(span, walked);
      if (span.begin < grid.to() && span.end >= from && span.end - span.begin >= least) {
        seen.push_back(span);
      }
    }
    EXPECT_EQ(track.columns(grid), walked) << from << " " << length;
    EXPECT_EQ(track.spans(from, grid.to(), least), seen) << from << " " << length;
    from += std::uniform_int_distribution<std::int64_t>(0, length / 2)(random);
    length = length * 2 / 3;
  }
}

TEST(TimelineTrack, CachedColumnsAreEqualToReadOnesAtEachGrowthAndZoom) {
  auto spans = generated(6000);
  SpanCache cache;
  std::size_t taken = 0;
  const auto read = [&](EventId id) {
    TimelineSpan span = spans[id - 1];
    if (span.kind == SpanKind::Step && id + 500 > taken) span.end = TimelineSpan::kForever;
    return std::optional(span);
  };
  TimelineTrack cached(read, nullptr, &cache);
  TimelineTrack uncached(read);
  while (taken < spans.size()) {
    const std::size_t until = std::min(spans.size(), taken + 700);
    while (taken < until) {
      const auto span = *read(static_cast<EventId>(++taken));
      cached.take(span);
      uncached.take(span);
    }
    cached.update();
    uncached.update();
    for (std::int64_t length = uncached.end() - uncached.begin() + 9; length > 100; length /= 3) {
      for (const std::int64_t to : {uncached.end() + 9, uncached.begin() + length}) {
        const TimelineGrid grid(to - length, to, 301);
        EXPECT_EQ(cached.columns(grid), uncached.columns(grid)) << taken << " " << length;
        EXPECT_EQ(cached.spans(to - length, to, length / 100),
                  uncached.spans(to - length, to, length / 100));
        EXPECT_EQ(cached.newestAt(to - length / 2), uncached.newestAt(to - length / 2));
      }
    }
  }
}

TEST(TimelineTrack, PreparedColumnsReadOnlyLeavesThatMayChange) {
  const auto spans = generated(3000);
  SpanCache cache;
  std::size_t reads = 0;
  TimelineTrack track(
      [&](EventId id) {
        ++reads;
        return std::optional(spans[id - 1]);
      },
      nullptr, &cache);
  for (const auto& span : spans) track.take(span);
  track.update();
  const TimelineGrid grid(track.begin(), track.end() + 1, 1000);
  int slices = 0;
  for (int leaves = 0; !track.prepare(grid, [&] { return leaves-- > 0; }); leaves = 10) ++slices;
  EXPECT_GE(slices, 9);
  EXPECT_LE(reads, spans.size()) << "reads each leaf once";
  reads = 0;
  track.columns(grid);
  EXPECT_LE(reads, 32U) << "the last leaf";
}

// A layout keeps the leaves that it has found, however many others it reads.
TEST(SpanCache, EvictsTheLeastRecentlyUsedLeaves) {
  constexpr std::size_t kLeaf = 32;
  const TimelineTrack track(nullptr, nullptr, nullptr);
  SpanCache cache;
  const std::size_t most = SpanCache::kMost / kLeaf;
  const auto put = [&](std::size_t leaf, bool isWhole) {
    cache.put(track, leaf, SpanCache::Spans(kLeaf, TimelineSpan{.event = 7, .isWhole = isWhole}));
  };
  for (std::size_t leaf = 0; leaf < most; ++leaf) put(leaf, leaf != 1);
  ASSERT_NE(cache.find(track, 0), nullptr);
  put(most, true);
  EXPECT_NE(cache.find(track, 0), nullptr);
  EXPECT_EQ(cache.find(track, 0)->size(), kLeaf);
  EXPECT_EQ(cache.find(track, 1), nullptr);
  EXPECT_NE(cache.find(track, 2), nullptr);
  EXPECT_NE(cache.find(track, most), nullptr);
  put(1, false);  // evicts leaf 3
  EXPECT_EQ(cache.find(track, 3), nullptr);
  cache.removeAwaiting();
  EXPECT_EQ(cache.find(track, 1), nullptr);
  EXPECT_NE(cache.find(track, 2), nullptr);
}

TEST(SpanCache, KeepsALeafThatIsWholeSinceItWasEvicted) {
  const TimelineTrack track(nullptr, nullptr, nullptr);
  SpanCache cache;
  const auto put = [&](std::size_t leaf, std::size_t spans, bool isWhole) {
    cache.put(track, leaf, SpanCache::Spans(spans, TimelineSpan{.event = 7, .isWhole = isWhole}));
  };
  put(1, 1, false);
  put(2, SpanCache::kMost, true);
  ASSERT_EQ(cache.find(track, 1), nullptr);
  put(1, 1, true);
  cache.removeAwaiting();
  EXPECT_NE(cache.find(track, 1), nullptr);
}

TEST(TimelineTrack, ReadsTheVisiblePartOnly) {
  constexpr EventId kCount = 2'000'000;
  std::size_t reads = 0;
  const auto at = [](EventId id) {
    const std::int64_t time = std::int64_t{id} * 100;
    return TimelineSpan{.event = id, .kind = SpanKind::Compute, .begin = time, .end = time + 60};
  };
  TimelineTrack track([&](EventId id) {
    ++reads;
    return std::optional(at(id));
  });
  for (EventId id = 1; id <= kCount; ++id) track.take(at(id));
  track.update();
  EXPECT_EQ(reads, 0U);
  EXPECT_EQ(track.spans(0, track.end(), 0, 40).size(), 40U);
  EXPECT_LE(reads, 64U) << "stops at the 40th";
  for (std::int64_t length = track.end(); length >= 1; length /= 10) {
    const std::int64_t from = track.end() / 2 - length / 2;
    reads = 0;
    const auto columns = track.columns(TimelineGrid(from, from + length, 1000));
    track.spans(from, from + length, length / 300);
    EXPECT_LE(reads, 2 * 32 * 1001U) << length;
    reads = 0;
    EXPECT_TRUE(track.newestAt(from + length));
    EXPECT_LE(reads, 32U);
  }
}

}  // namespace
}  // namespace shardlens::view
