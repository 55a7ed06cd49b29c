#include "core/trace/events/open_blocks.h"

#include "core/base/check.h"
#include "core/trace/events/packed_events.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

Event running() {
  Event event;
  event.duration = Event::kRunning;
  return event;
}

TEST(OpenBlocks, ReturnsTheChangedBlocksOnly) {
  OpenBlocks blocks;
  EXPECT_TRUE(blocks.takeChanged().empty());
  blocks.append(1, Event{}, {});
  EXPECT_EQ(blocks.takeChanged().at(0).events.size(), 1U);
  EXPECT_TRUE(blocks.takeChanged().empty());
  blocks.append(2, Event{}, {});
  EXPECT_EQ(blocks.takeChanged().at(0).events.size(), 2U);
}

TEST(OpenBlocks, KeepsAFullBlockWhileASpanInItRuns) {
  OpenBlocks blocks;
  blocks.append(1, running(), {});
  for (EventId id = 2; id <= 3 * kBlockEvents; ++id) blocks.append(id, Event{}, {});
  EXPECT_EQ(blocks.takeChanged().size(), 3U);
  EXPECT_EQ(blocks.size(), 1U);
  EXPECT_TRUE(blocks.takeChanged().empty());
  blocks.end(1, 5);
  const auto taken = blocks.takeChanged();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].first, 1U);
  EXPECT_EQ(taken[0].events[0].duration, 5);
  EXPECT_EQ(blocks.size(), 0U);
  EXPECT_THROW(blocks.end(1, 5), CheckFailed);
}

TEST(OpenBlocks, MemoryStaysBounded) {
  OpenBlocks blocks;
  for (EventId id = 1; id <= 100 * kBlockEvents; ++id) {
    blocks.append(id, Event{}, {});
    if (id % 700 == 0) blocks.takeChanged();
    ASSERT_LE(blocks.size(), 2U);
  }
}

}  // namespace
}  // namespace shardlens
