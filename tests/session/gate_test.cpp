#include "core/session/engine/gate.h"

#include "core/trace/journal/journal.h"
#include "core/trace/recorder/recorder.h"

#include <gtest/gtest.h>

#include <future>
#include <vector>

namespace shardlens {
namespace {

// Runs a gate over five events. Each pause releases it up to the next of `positions`, the last ones
// without limit. Returns the positions of the pauses.
std::vector<EventId> pausesOf(const std::vector<EventId>& positions) {
  std::vector<EventId> pauses;
  std::size_t next = 0;
  Gate* self = nullptr;
  Stopwatch clock;
  Gate gate(
      [&](EventId position) {
        pauses.push_back(position);
        self->release(next < positions.size() ? positions[next++] : EventId(-1));
      },
      [](const auto&) {}, clock);
  self = &gate;
  for (EventId id = 1; id <= 5; ++id) gate.onEvent(id, {});
  gate.onEnd(5, 0);
  return pauses;
}

TEST(Gate, PausesAtTheRequestedNumberOfEvents) {
  EXPECT_EQ(pausesOf({}), (std::vector<EventId>{0}));
  EXPECT_EQ(pausesOf({1, 2}), (std::vector<EventId>{0, 1, 2}));
  EXPECT_EQ(pausesOf({3}), (std::vector<EventId>{0, 3}));
}

TEST(Gate, HoldsTheEndOfTheLastEventToo) { EXPECT_EQ(pausesOf({5}), (std::vector<EventId>{0, 5})); }

TEST(Gate, AnswersARequestForAPastPosition) {
  EXPECT_EQ(pausesOf({2, 2, 1}), (std::vector<EventId>{0, 2, 2, 2}));
}

// The user looks at each event for an hour. The engine works a millisecond between events.
TEST(Gate, HoldsTheEnginesClockToo) {
  constexpr std::int64_t kHour = 3'600'000'000'000, kMillisecond = 1'000'000;
  std::int64_t time = 0;
  Stopwatch clock([&] { return time; });
  Gate* self = nullptr;
  Gate gate(
      [&](EventId position) {
        time += kHour;
        self->release(position + 1);
      },
      [](const auto&) {}, clock);
  self = &gate;
  Journal journal;
  Recorder recorder;
  recorder.setClock([&] { return clock.now(); });
  recorder.addSink(gate);
  recorder.addSink(journal);
  {
    const Span outer(recorder, Event{});
    time += kMillisecond;
    {
      const Span inner(recorder, Event{});
      time += kMillisecond;
    }
    recorder.note(Event{});
    time += kMillisecond;
  }
  EXPECT_GE(time, 3 * kHour);
  const std::vector<EventPart> expected = {
      {0, 3 * kMillisecond}, {kMillisecond, kMillisecond}, {2 * kMillisecond, 0}};
  for (EventId id = 1; id <= 3; ++id) {
    const Event& event = journal.at(id);
    EXPECT_EQ((EventPart{event.time, event.duration}), expected[id - 1]) << id;
  }
}

TEST(Gate, StopsFromAnotherThreadWhileItWaits) {
  std::promise<void> paused;
  bool stopped = false;
  Stopwatch clock;
  Gate gate([&](EventId) { paused.set_value(); },
            [&](const std::string& why) { stopped = why == "enough"; }, clock);
  auto engine = std::async(std::launch::async, [&] { gate.onEvent(1, {}); });
  paused.get_future().wait();
  gate.stop("enough");
  engine.get();
  EXPECT_TRUE(stopped);
}

}  // namespace
}  // namespace shardlens
