#include "core/trace/events/event_pages.h"

#include "core/base/check.h"
#include "core/trace/events/packed_events.h"
#include "tests/trace/heap_in_use.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

Event eventOf(EventId id, std::int64_t duration = 0) {
  Event event;
  event.time = 10 * std::int64_t{id};
  event.duration = duration;
  event.subject = id;
  event.inputs = id % 3;
  return event;
}

std::vector<TensorId> inputsOf(EventId id) {
  std::vector<TensorId> inputs(id % 3);
  for (TensorId& input : inputs) input = 5 * id + static_cast<TensorId>(&input - inputs.data());
  return inputs;
}

void append(EventPages& pages, const Event& event) { pages.append(event, inputsOf(event.subject)); }

TEST(EventPages, ReturnTheAppendedEvents) {
  constexpr EventId kEvents = 100 * kBlockEvents + 3;
  EventPages pages;
  for (EventId id = 1; id <= kEvents; ++id) append(pages, eventOf(id));
  ASSERT_EQ(pages.size(), kEvents);
  for (EventId id = 1; id <= kEvents; ++id) {
    ASSERT_EQ(pages.at(id), eventOf(id));
    ASSERT_EQ(pages.inputs(id), inputsOf(id));
  }
  // Accesses far from one another, in both directions.
  for (EventId id = 1; id <= kEvents; id += 999) {
    ASSERT_EQ(pages.at(kEvents + 1 - id), eventOf(kEvents + 1 - id));
    ASSERT_EQ(pages.at(id), eventOf(id));
  }
  EXPECT_THROW(std::ignore = pages.at(0), CheckFailed);
  EXPECT_THROW(std::ignore = pages.at(kEvents + 1), CheckFailed);
}

TEST(EventPages, ASpanEndsHoweverLateItDoes) {
  EventPages pages;
  append(pages, eventOf(1, Event::kRunning));
  append(pages, eventOf(2, Event::kRunning));
  for (EventId id = 3; id <= 3 * kBlockEvents; ++id) append(pages, eventOf(id));
  EXPECT_EQ(pages.at(1).duration, Event::kRunning);
  pages.end(2, 7);
  EXPECT_EQ(pages.at(1).duration, Event::kRunning);
  EXPECT_EQ(pages.at(2), eventOf(2, 7));
  pages.end(1, 9);
  EXPECT_EQ(pages.at(1), eventOf(1, 9));
  EXPECT_EQ(pages.at(2), eventOf(2, 7));
  EXPECT_THROW(pages.end(1, 9), CheckFailed);
}

TEST(EventPages, SealedOnesReturnTheLastEventsAndChangeNoMore) {
  constexpr EventId kEvents = 2 * kBlockEvents + 3;
  EventPages pages;
  append(pages, eventOf(1, Event::kRunning));
  for (EventId id = 2; id <= kEvents; ++id) append(pages, eventOf(id));
  pages.seal();
  ASSERT_EQ(pages.size(), kEvents);
  EXPECT_EQ(pages.at(1), eventOf(1, Event::kRunning));
  for (EventId id = 2; id <= kEvents; ++id) {
    ASSERT_EQ(pages.at(id), eventOf(id));
    ASSERT_EQ(pages.inputs(id), inputsOf(id));
  }
  EXPECT_THROW(append(pages, eventOf(kEvents + 1)), CheckFailed);
  EXPECT_THROW(pages.end(1, 5), CheckFailed);
}

TEST(EventPages, AppendWholeBlocks) {
  EventPages pages;
  EventBlock block{.first = 1};
  for (EventId id = 1; id <= kBlockEvents; ++id) {
    block.events.push_back(eventOf(id));
    for (const TensorId input : inputsOf(id)) block.inputs.push_back(input);
  }
  pages.append(packEvents(block));
  append(pages, eventOf(kBlockEvents + 1));
  EXPECT_EQ(pages.size(), kBlockEvents + 1);
  EXPECT_EQ(pages.at(kBlockEvents), eventOf(kBlockEvents));
  EXPECT_EQ(pages.inputs(kBlockEvents), inputsOf(kBlockEvents));
  EXPECT_EQ(pages.at(kBlockEvents + 1), eventOf(kBlockEvents + 1));
  EXPECT_THROW(pages.append(packEvents(block)), CheckFailed);  // does not follow a whole block
}

TEST(EventPages, CacheAsManyBlocksAsTheyMay) {
  constexpr EventId kBlocks = 8;
  EventPages pages;
  for (EventId id = 1; id <= kBlocks * kBlockEvents; ++id) append(pages, eventOf(id));
  const auto readAll = [&] {
    const std::size_t before = heapInUse();
    for (EventId i = 0; i < kBlocks; ++i) {
      const EventId id = i * kBlockEvents + 7;
      EXPECT_EQ(pages.at(id), eventOf(id));
      EXPECT_EQ(pages.inputs(id), inputsOf(id));
    }
    return heapInUse() - before;
  };
  pages.cacheBlocks(2);
  EXPECT_LT(readAll(), 3 * kBlockEvents * sizeof(Event));
  pages.cacheBlocks(kBlocks);
  EXPECT_GT(readAll(), (kBlocks - 1) * kBlockEvents * sizeof(Event));
}

// A few packed bytes can stand for millions of inputs, so such pages must not all stay in memory.
TEST(EventPages, OfPagesWithVeryManyInputsKeepOne) {
  constexpr EventId kBlocks = 16;
  constexpr std::size_t kInputs = std::size_t{1} << 20;
  EventBlock block{.first = 1,
                   .events = std::vector<Event>(kBlockEvents),
                   .inputs = std::vector<TensorId>(kInputs, 7)};
  block.events[2].inputs = kInputs;
  EventPages pages;
  for (EventId i = 0; i < kBlocks; ++i) {
    block.events[0].subject = i;
    pages.append(packEvents(block));
  }
  const std::size_t before = heapInUse();
  for (EventId i = 0; i < kBlocks; ++i) {
    ASSERT_EQ(pages.inputs(i * kBlockEvents + 3), block.inputs);
    ASSERT_EQ(pages.at(i * kBlockEvents + 1).subject, i);
  }
  EXPECT_LT(heapInUse() - before, 3 * kInputs * sizeof(TensorId));
  EXPECT_EQ(pages.at(1).subject, 0);
}

}  // namespace
}  // namespace shardlens
