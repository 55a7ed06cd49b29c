#include "core/trace/merge/merged_ids.h"

#include "core/trace/merge/alignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace shardlens {
namespace {

using Ids = std::vector<MergedIds::Named>;

TEST(Alignment, RoundTrips) {
  Alignment alignment;
  EXPECT_EQ(alignment.mergedOf(0), 0U);
  EXPECT_EQ(alignment.newest(5), 0U);
  EXPECT_EQ(alignment.partOf(5), 0U);
  const std::vector<EventId> merged = {2, 3, 4, 8, 9, 20};
  for (const EventId id : merged) alignment.add(id);
  for (EventId part = 1; part <= merged.size(); ++part) {
    EXPECT_EQ(alignment.mergedOf(part), merged[part - 1]);
  }
  EventId newest = 0;
  for (EventId id = 0; id <= 25; ++id) {
    const auto found = std::find(merged.begin(), merged.end(), id);
    const auto part = found == merged.end() ? 0 : found - merged.begin() + 1;
    if (part != 0) newest = static_cast<EventId>(part);
    EXPECT_EQ(alignment.partOf(id), part) << id;
    EXPECT_EQ(alignment.newest(id), newest) << id;
  }
}

// Two processes of a loop with 40 steps of 20 runs, which differ in where they begin. The second
// one has one event more in a step.
TEST(Alignment, SharesThePatternsOfSteps) {
  const auto patterns = std::make_shared<RunPatterns>();
  std::vector<Alignment> alignments(2, Alignment(patterns));
  std::vector<std::vector<EventId>> merged(2);
  for (EventId step = 0; step < 40; ++step) {
    for (const std::size_t process : {0U, 1U}) {
      alignments[process].beginStep();
      for (EventId i = 0; i < (step == 5 ? 60 + process : 60); ++i) {
        merged[process].push_back(1000 * step + 100 * process + i + i / 3 + 1);
        alignments[process].add(merged[process].back());
      }
    }
  }
  for (const std::size_t process : {0U, 1U}) {
    const auto& ids = merged[process];
    ASSERT_EQ(alignments[process].size(), ids.size());
    for (EventId part = 1; part <= ids.size(); ++part) {
      ASSERT_EQ(alignments[process].mergedOf(part), ids[part - 1]);
    }
    for (EventId id = 0; id <= 40'000; ++id) {
      const auto after = std::ranges::upper_bound(ids, id);
      const auto newest = static_cast<EventId>(after - ids.begin());
      ASSERT_EQ(alignments[process].newest(id), newest) << id;
      const bool isPart = newest != 0 && ids[newest - 1] == id;
      ASSERT_EQ(alignments[process].partOf(id), isPart ? newest : 0) << id;
    }
  }
  EXPECT_EQ(patterns->size(), 2U);
}

// A step with more runs than a page has.
TEST(IdRuns, EndPagesOfLongSteps) {
  IdRuns runs;
  for (std::uint32_t id = 1; id <= 3000; ++id) runs.add(2 * id, 10'000 - id);
  for (std::uint32_t id = 1; id <= 3000; ++id) {
    ASSERT_EQ(runs.atFrom(2 * id), (IdRun{2 * id, 10'000 - id, 1}));
    ASSERT_EQ(runs.atFrom(2 * id + 1), (IdRun{2 * id, 10'000 - id, 1}));
  }
  EXPECT_EQ(runs.atFrom(1), IdRun());
}

TEST(MergedIds, JoinsTheIdsOfOneObject) {
  MergedIds ids(2);
  EXPECT_EQ(ids.find(Ids{{0, 0}, {1, 0}}).id, 0U);
  const auto both = ids.find(Ids{{0, 5}, {1, 7}});
  EXPECT_EQ(both.id, 1U);
  EXPECT_EQ(both.joined.size(), 2U);
  const auto alone = ids.find(Ids{{0, 0}, {1, 5}});
  EXPECT_EQ(alone.id, 2U);
  ASSERT_EQ(alone.joined.size(), 1U);
  EXPECT_EQ(alone.joined.front().process, 1U);
  const auto again = ids.find(Ids{{0, 5}, {1, 7}});
  EXPECT_EQ(again.id, 1U);
  EXPECT_TRUE(again.joined.empty());
  EXPECT_EQ(ids.mergedOf(0, 5), 1U);
  EXPECT_EQ(ids.mergedOf(1, 5), 2U);
  EXPECT_EQ(ids.mergedOf(0, 7), 0U);
  EXPECT_EQ(ids.ownOf(1, 1), 7U);
  EXPECT_EQ(ids.ownOf(0, 2), 0U);
}

// A damaged recording may have any id. A large one must not allocate memory for all smaller ids.
TEST(IdMap, KnowsFarIdsToo) {
  IdMap map;
  for (std::uint32_t id = 1; id <= 100; ++id) map.put(id, id + 1);
  map.put(0xffffffff, 3);
  map.put(0x10000, 4);
  EXPECT_EQ(map.find(100), 101U);
  EXPECT_EQ(map.find(101), 0U);
  EXPECT_EQ(map.find(0xffffffff), 3U);
  EXPECT_EQ(map.find(0x10000), 4U);
  for (std::uint32_t id = 101; id <= 0x2000; ++id) map.put(id, id + 1);
  EXPECT_EQ(map.find(0x10000), 4U);
  EXPECT_EQ(map.find(0x2000), 0x2001U);
}

}  // namespace
}  // namespace shardlens
