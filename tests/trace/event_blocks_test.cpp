#include "core/trace/file/event_blocks.h"

#include "core/base/check.h"
#include "core/trace/file/trace_schema.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

Event running() {
  Event event;
  event.duration = Event::kRunning;
  return event;
}

TEST(EventBlocks, GivesWhatChangedAndOnlyThat) {
  EventBlocks blocks;
  EXPECT_TRUE(blocks.take().empty());
  blocks.append(1, Event{});
  EXPECT_TRUE(blocks.changed());
  EXPECT_EQ(blocks.take().at(0).events.size(), 1U);
  EXPECT_FALSE(blocks.changed());
  EXPECT_TRUE(blocks.take().empty());
  blocks.append(2, Event{});
  EXPECT_EQ(blocks.take().at(0).events.size(), 2U);
}

TEST(EventBlocks, KeepsAFullBlockWhileASpanInItRuns) {
  EventBlocks blocks;
  blocks.append(1, running());
  for (EventId id = 2; id <= 3 * kBlockEvents; ++id) blocks.append(id, Event{});
  EXPECT_EQ(blocks.take().size(), 3U);
  EXPECT_EQ(blocks.kept(), 1U);
  EXPECT_TRUE(blocks.take().empty());
  Event ended;
  ended.duration = 5;
  blocks.end(1, ended);
  const auto taken = blocks.take();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].first, 1U);
  EXPECT_EQ(taken[0].events[0].duration, 5);
  EXPECT_EQ(blocks.kept(), 0U);
  EXPECT_THROW(blocks.end(1, ended), CheckFailed);
}

TEST(EventBlocks, MemoryStaysBounded) {
  EventBlocks blocks;
  for (EventId id = 1; id <= 100 * kBlockEvents; ++id) {
    blocks.append(id, Event{});
    if (id % 700 == 0) blocks.take();
    ASSERT_LE(blocks.kept(), 2U);
  }
}

}  // namespace
}  // namespace shardlens
