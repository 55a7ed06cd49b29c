#include "core/trace/events/packed_events.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace shardlens {
namespace {

template <class Number>
void setEnd(Number& number, bool low) {
  number = low ? std::numeric_limits<Number>::min() : std::numeric_limits<Number>::max();
}

// Returns an event with the least or largest value in every field.
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
  event.inputs = low ? 0 : 3;
  event.kind = low ? EventKind{0} : EventKind{255};
  event.verdict = low ? Verdict{255} : Verdict{0};
  setEnd(event.meshDim, low);
  setEnd(event.site, low);
  setEnd(event.device, !low);
  setEnd(event.group, low);
  setEnd(event.sequence, !low);
  return event;
}

EventBlock some(EventId first, std::size_t count) {
  std::mt19937 random(7);
  EventBlock block{.first = first};
  auto& events = block.events;
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
    event.inputs = random() % 3;
    events.push_back(event);
  }
  for (const Event& event : events) {
    for (std::uint32_t i = 0; i < event.inputs; ++i) block.inputs.push_back(random());
  }
  return block;
}

TEST(PackedEvents, ComeBackAsTheyWere) {
  for (const std::size_t count : {1U, 2U, 700U, kBlockEvents}) {
    for (const EventId first : {EventId{1}, EventId{1025}, EventId{0xffffffff}}) {
      const auto block = some(first, count);
      EventBlock back{.events = std::vector<Event>(count, extreme(/*low=*/true)), .inputs = {7}};
      ASSERT_TRUE(unpackEvents(packEvents(block), first, back));
      EXPECT_EQ(back.first, first);
      EXPECT_EQ(back.events, block.events) << count << " from " << first;
      EXPECT_EQ(back.inputs, block.inputs) << count << " from " << first;
    }
  }
}

TEST(PackedEvents, AreRefusedIfTheyDiffer) {
  const auto packed = packEvents(some(1, 100));
  EventBlock back{.events = std::vector<Event>(100)};
  for (std::size_t size = 0; size < packed.size(); ++size) {
    ASSERT_FALSE(unpackEvents(std::span(packed).first(size), 1, back)) << size;
  }
  for (const std::size_t others :
       {std::size_t{99}, std::size_t{101}, std::size_t{kBlockEvents} + 1}) {
    back.events.resize(others);
    EXPECT_FALSE(unpackEvents(packed, 1, back)) << others;
  }
}

TEST(PackedEvents, InputsMayBeUnknown) {
  EventBlock block{.first = 1, .events = std::vector<Event>(1), .inputs = {0, 0, 0}};
  block.events[0].inputs = 3;
  EventBlock back{.events = std::vector<Event>(1)};
  ASSERT_TRUE(unpackEvents(packEvents(block), 1, back));
  EXPECT_EQ(back.inputs, block.inputs);
}

// An event has more inputs than the block.
TEST(PackedEvents, InputsThatAreMissingAreRefused) {
  EventBlock block{.first = 1, .events = std::vector<Event>(2)};
  for (const std::uint32_t claimed : {1U, 0x7fffffffU, 0xffffffffU}) {
    block.events[1].inputs = claimed;
    EventBlock back{.events = std::vector<Event>(2)};
    EXPECT_FALSE(unpackEvents(packEvents(block), 1, back)) << claimed;
  }
}

TEST(PackedEvents, MoreThanABlockMayHaveIsRefused) {
  constexpr std::size_t kMost = std::size_t{16} << 20, kOfFields = 64;
  EventBlock block{.first = 1, .events = std::vector<Event>(1)};
  for (const std::size_t inputs : {kMost - kOfFields, kMost}) {
    block.events[0].inputs = static_cast<std::uint32_t>(inputs);
    block.inputs.resize(inputs);
    EventBlock back{.events = std::vector<Event>(1)};
    EXPECT_EQ(unpackEvents(packEvents(block), 1, back), inputs < kMost) << inputs;
    if (inputs < kMost) {
      EXPECT_EQ(back.inputs, block.inputs);
    }
  }
}

// The events of a training loop repeat in each step.
TEST(PackedEvents, ALoopTakesFewBytes) {
  EventBlock block{.first = 1};
  std::mt19937 random(7);
  for (EventId id = 1; id <= kBlockEvents; ++id) {
    Event event;
    event.kind = static_cast<EventKind>(id % 4);
    event.name = 1 + id % 60;
    event.subject = id / 4;
    event.parent = id - id % 4;
    event.time = std::int64_t{2000} * id + random() % 1000;
    event.duration = static_cast<std::int64_t>(random() % 1000);
    block.events.push_back(event);
  }
  EXPECT_LT(packEvents(block).size(), 6 * block.events.size());
}

}  // namespace
}  // namespace shardlens
