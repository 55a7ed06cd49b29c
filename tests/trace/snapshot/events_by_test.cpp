#include "core/trace/snapshot/events_by.h"

#include <gtest/gtest.h>

namespace shardlens {

namespace {

// A journal of steps with kOfAStep events each. The first event of a step is a Step, the others are
// Computes.
class EventsOfSteps : public ::testing::Test {
 protected:
  static constexpr EventId kOfAStep = 700;  // a block has the beginnings of 0 to 2 steps

  EventsOfSteps() {
    for (EventId id = 1; id <= 5 * kOfAStep; ++id) {
      Event event;
      event.kind = (id - 1) % kOfAStep == 0 ? EventKind::Step : EventKind::Compute;
      event.step = static_cast<std::int32_t>((id - 1) / kOfAStep);
      journal_.onEvent(id, event);
      byKind_.add(id, event);
      byStep_.add(id, event);
    }
  }

  static constexpr auto kSteps = static_cast<std::uint32_t>(EventKind::Step);
  Journal journal_;
  EventsBy byKind_{journal_,
                   [](const Event& event) { return static_cast<std::uint32_t>(event.kind); }};
  EventsBy byStep_{journal_,
                   [](const Event& event) { return static_cast<std::uint32_t>(event.step); }};
};

TEST_F(EventsOfSteps, FindTheNewestOfAKind) {
  EXPECT_EQ(byKind_.newest(kSteps, 0), 0U);
  EXPECT_EQ(byKind_.newest(kSteps, 1), 1U);
  EXPECT_EQ(byKind_.newest(kSteps, 700), 1U);
  EXPECT_EQ(byKind_.newest(kSteps, 701), 701U);
  EXPECT_EQ(byKind_.newest(kSteps, 1401), 1401U);
  EXPECT_EQ(byKind_.newest(kSteps, 3500), 2801U);
  EXPECT_EQ(byKind_.newest(kSteps, 1'000'000), 2801U);
}

TEST_F(EventsOfSteps, FindTheNextOfAKind) {
  EXPECT_EQ(byKind_.next(kSteps, 0), 1U);
  EXPECT_EQ(byKind_.next(kSteps, 1), 701U);
  EXPECT_EQ(byKind_.next(kSteps, 700), 701U);
  EXPECT_EQ(byKind_.next(kSteps, 701), 1401U);
  EXPECT_EQ(byKind_.next(kSteps, 2800), 2801U);
  EXPECT_EQ(byKind_.next(kSteps, 2801), 0U);
  EXPECT_EQ(byKind_.next(kSteps, 1'000'000), 0U);
}

TEST_F(EventsOfSteps, AreCounted) {
  EXPECT_EQ(byKind_.count(kSteps, 0), 0U);
  EXPECT_EQ(byKind_.count(kSteps, 700), 1U);
  EXPECT_EQ(byKind_.count(kSteps, 701), 2U);
  EXPECT_EQ(byKind_.count(kSteps, 3500), 5U);
  EXPECT_EQ(byKind_.count(static_cast<std::uint32_t>(EventKind::Compute), 3500), 3495U);
}

TEST_F(EventsOfSteps, BeginAndEndAStep) {
  EXPECT_EQ(byStep_.next(2, 0), 1401U);
  EXPECT_EQ(byStep_.newest(2, journal_.size()), 2100U);
}

TEST_F(EventsOfSteps, AreNoneOfAnUnknownValue) {
  EXPECT_EQ(byStep_.next(5, 0), 0U);
  EXPECT_EQ(byStep_.newest(5, journal_.size()), 0U);
  EXPECT_EQ(byKind_.count(static_cast<std::uint32_t>(EventKind::Error), 3500), 0U);
}

}  // namespace

}  // namespace shardlens
