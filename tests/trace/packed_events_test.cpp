#include "core/trace/journal/packed_events.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace shardlens {
namespace {

template <class Number>
void setEnd(Number& number, bool low) {
  number = low ? std::numeric_limits<Number>::min() : std::numeric_limits<Number>::max();
}

// Every field at one of its ends.
Event extreme(bool low) {
  Event event;
  setEnd(event.time, low);
  setEnd(event.duration, !low);
  setEnd(event.bytes, low);
  setEnd(event.parent, !low);
  setEnd(event.name, low);
  setEnd(event.detail, !low);
  setEnd(event.ranks, low);
  setEnd(event.subject, !low);
  setEnd(event.related, low);
  setEnd(event.line, !low);
  setEnd(event.step, low);
  setEnd(event.count, !low);
  event.kind = low ? EventKind{0} : EventKind{255};
  event.verdict = low ? Verdict{255} : Verdict{0};
  setEnd(event.meshDim, low);
  return event;
}

std::vector<Event> some(std::size_t count) {
  std::mt19937 random(7);
  std::vector<Event> events;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 5 == 0) {
      events.push_back(extreme(i % 2 == 0));
      continue;
    }
    Event event;
    event.time = static_cast<std::int64_t>(1000 * i + random() % 100);
    event.duration = random() % 4 == 0 ? Event::kRunning : static_cast<std::int64_t>(random());
    event.parent = static_cast<EventId>(i / 3);
    event.kind = static_cast<EventKind>(random() % kEventKinds);
    event.subject = random();
    events.push_back(event);
  }
  return events;
}

TEST(PackedEvents, ComeBackAsTheyWere) {
  for (const std::size_t count : {1U, 2U, 700U, kBlockEvents}) {
    for (const EventId first : {EventId{1}, EventId{1025}, EventId{0xffffffff}}) {
      const auto events = some(count);
      const auto packed = packEvents(first, events);
      std::vector<Event> back(count, extreme(/*low=*/true));
      ASSERT_TRUE(unpackEvents(first, packed, back));
      EXPECT_EQ(back, events) << count << " from " << first;
    }
  }
}

TEST(PackedEvents, AreRefusedWhereTheyAreOthers) {
  const auto events = some(100);
  const auto packed = packEvents(1, events);
  std::vector<Event> back(100);
  for (std::size_t size = 0; size < packed.size(); ++size) {
    ASSERT_FALSE(unpackEvents(1, std::span(packed).first(size), back)) << size;
  }
  for (const std::size_t others :
       {std::size_t{99}, std::size_t{101}, std::size_t{kBlockEvents} + 1}) {
    back.resize(others);
    EXPECT_FALSE(unpackEvents(1, packed, back)) << others;
  }
  back.resize(kBlockEvents + 1);
  EXPECT_FALSE(unpackEvents(1, packed, back));
}

// A step of a training loop is told again and again.
TEST(PackedEvents, ALoopTakesFewBytes) {
  std::vector<Event> events;
  std::mt19937 random(7);
  for (EventId id = 1; id <= kBlockEvents; ++id) {
    Event event;
    event.kind = static_cast<EventKind>(id % 4);
    event.name = 1 + id % 60;
    event.subject = id / 4;
    event.parent = id - id % 4;
    event.time = std::int64_t{2000} * id + random() % 1000;
    event.duration = static_cast<std::int64_t>(random() % 1000);
    events.push_back(event);
  }
  EXPECT_LT(packEvents(1, events).size(), 6 * events.size());
}

}  // namespace
}  // namespace shardlens
