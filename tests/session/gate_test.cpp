#include "core/session/gate.h"

#include <gtest/gtest.h>

#include <future>
#include <vector>

namespace shardlens {
namespace {

// A gate whose pauses are answered by a script: each pause takes the next position to run to.
std::vector<EventId> pausesOf(const std::vector<EventId>& positions) {
  std::vector<EventId> pauses;
  std::size_t next = 0;
  Gate* self = nullptr;
  Gate gate(
      [&](EventId position) {
        pauses.push_back(position);
        self->release(next < positions.size() ? positions[next++] : EventId(-1));
      },
      [] {});
  self = &gate;
  for (EventId id = 1; id <= 5; ++id) gate.onEvent(id, {});
  gate.onEnd(5, {});
  return pauses;
}

TEST(Gate, PausesWhenAsManyEventsHaveHappenedAsWereAskedFor) {
  EXPECT_EQ(pausesOf({}), (std::vector<EventId>{0}));
  EXPECT_EQ(pausesOf({1, 2}), (std::vector<EventId>{0, 1, 2}));
  EXPECT_EQ(pausesOf({3}), (std::vector<EventId>{0, 3}));
}

TEST(Gate, HoldsTheEndOfTheLastEventToo) { EXPECT_EQ(pausesOf({5}), (std::vector<EventId>{0, 5})); }

TEST(Gate, ARequestForWhatHasHappenedIsAnsweredAgain) {
  EXPECT_EQ(pausesOf({2, 2, 1}), (std::vector<EventId>{0, 2, 2, 2}));
}

TEST(Gate, StopsFromAnotherThreadWhileItWaits) {
  std::promise<void> paused;
  bool stopped = false;
  Gate gate([&](EventId) { paused.set_value(); }, [&] { stopped = true; });
  auto engine = std::async(std::launch::async, [&] { gate.onEvent(1, {}); });
  paused.get_future().wait();
  gate.stop();
  engine.get();
  EXPECT_TRUE(stopped);
}

}  // namespace
}  // namespace shardlens
