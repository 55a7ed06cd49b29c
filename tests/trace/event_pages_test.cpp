#include "core/trace/journal/event_pages.h"

#include "core/base/check.h"
#include "core/trace/journal/packed_events.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

Event eventOf(EventId id, std::int64_t duration = 0) {
  Event event;
  event.time = 10 * std::int64_t{id};
  event.duration = duration;
  event.subject = id;
  return event;
}

TEST(EventPages, GiveWhatWasAppended) {
  constexpr EventId kEvents = 100 * kBlockEvents + 3;
  EventPages pages;
  for (EventId id = 1; id <= kEvents; ++id) pages.append(eventOf(id));
  ASSERT_EQ(pages.size(), kEvents);
  for (EventId id = 1; id <= kEvents; ++id) ASSERT_EQ(pages.at(id), eventOf(id));
  // Far from one another, and back.
  for (EventId id = 1; id <= kEvents; id += 999) {
    ASSERT_EQ(pages.at(kEvents + 1 - id), eventOf(kEvents + 1 - id));
    ASSERT_EQ(pages.at(id), eventOf(id));
  }
  EXPECT_THROW(std::ignore = pages.at(0), CheckFailed);
  EXPECT_THROW(std::ignore = pages.at(kEvents + 1), CheckFailed);
}

TEST(EventPages, ASpanEndsHoweverLateItDoes) {
  EventPages pages;
  pages.append(eventOf(1, Event::kRunning));
  pages.append(eventOf(2, Event::kRunning));
  for (EventId id = 3; id <= 3 * kBlockEvents; ++id) pages.append(eventOf(id));
  EXPECT_EQ(pages.at(1).duration, Event::kRunning);
  pages.end(2, 7);
  EXPECT_EQ(pages.at(1).duration, Event::kRunning);
  EXPECT_EQ(pages.at(2), eventOf(2, 7));
  pages.end(1, 9);
  EXPECT_EQ(pages.at(1), eventOf(1, 9));
  EXPECT_EQ(pages.at(2), eventOf(2, 7));
  EXPECT_THROW(pages.end(1, 9), CheckFailed);
}

TEST(EventPages, TakeWholeBlocks) {
  EventPages pages;
  std::vector<Event> block;
  for (EventId id = 1; id <= kBlockEvents; ++id) block.push_back(eventOf(id));
  pages.append(packEvents(1, block));
  pages.append(eventOf(kBlockEvents + 1));
  EXPECT_EQ(pages.size(), kBlockEvents + 1);
  EXPECT_EQ(pages.at(kBlockEvents), eventOf(kBlockEvents));
  EXPECT_EQ(pages.at(kBlockEvents + 1), eventOf(kBlockEvents + 1));
  EXPECT_THROW(pages.append(packEvents(1, block)), CheckFailed);  // not at the end of one
}

}  // namespace
}  // namespace shardlens
