#include "core/imports/input/events_by_time.h"

#include "tests/support/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using ::testing::IsEmpty;

LaneEvent at(std::int64_t time, std::int64_t duration = 0, std::uint32_t lane = 0) {
  LaneEvent made;
  made.event.time = time;
  made.event.duration = duration;
  made.lane = lane;
  return made;
}

TEST(EventsByTimeTest, MoreThanFitInMemoryComeInOrder) {
  constexpr std::int64_t kEvents = 10'000;
  const ScratchFolder folder;
  EventsByTime events(folder.path(), 64);
  for (std::int64_t i = 0; i < kEvents; ++i) events.add(at(i * 7919 % kEvents));
  std::int64_t next = 0;
  events.inOrder([&](const LaneEvent& event) { EXPECT_EQ(event.event.time, next++); });
  EXPECT_EQ(next, kEvents);
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(EventsByTimeTest, TheOuterOneIsFirstAndLikeOnesAsTheyBegan) {
  const ScratchFolder folder;
  for (const std::size_t inMemory : {2U, 100U}) {
    EventsByTime events(folder.path(), inMemory);
    // Adds spans in the order of their ends, inner ones first.
    const auto add = [&](std::int64_t time, std::int64_t duration, std::uint32_t lane,
                         std::uint64_t order) {
      auto made = at(time, duration, lane);
      made.order = order;
      events.add(made);
    };
    add(5, 1, 0, 2);
    add(5, 9, 1, 1);
    add(5, 1, 4, 4);
    add(5, 1, 2, 3);
    add(4, 0, 3, 0);
    add(5, Event::kRunning, 5, 5);
    std::vector<std::uint32_t> lanes;
    events.inOrder([&](const LaneEvent& event) { lanes.push_back(event.lane); });
    EXPECT_EQ(lanes, (std::vector<std::uint32_t>{3, 5, 1, 0, 2, 4}));
  }
}

}  // namespace
}  // namespace shardlens
