#include "core/trace/events/event_totals.h"

#include "tests/trace/sample_run.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

TEST(EventTotals, OfAGrowingJournalAreThoseOfItsEvents) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  recordSample(recorder);
  recordLong(recorder, 100);
  EventTotals totals;
  for (EventId id = 1; id <= journal.size(); ++id) totals.add(journal.at(id));
  EXPECT_EQ(journal.totals().all(), totals.all());
  EXPECT_EQ(journal.totals().end(), totals.end());
  EXPECT_EQ(journal.totals().running(), totals.running());
  EXPECT_EQ(journal.totals().count(), journal.size());
}

TEST(EventTotals, AddUp) {
  const auto collective = [](std::uint32_t sequence, std::int64_t time) {
    Event event;
    event.kind = EventKind::Collective;
    event.ranks = 3;
    event.sequence = sequence;
    event.time = time;
    event.duration = 5;
    event.bytes = 10;
    event.step = static_cast<std::int32_t>(sequence);
    return event;
  };
  EventTotals first, second;
  first.add(collective(4, 100));
  first.add(collective(2, 50));
  second.add(collective(9, 20));
  first.add(second);
  first.add(EventTotals());
  ASSERT_EQ(first.all().size(), 1U);
  EXPECT_EQ(first.all().front().second, (Totals{3, 30, 15, 0, 2, 9}));
  EXPECT_EQ(first.begin(), 20);
  EXPECT_EQ(first.end(), 105);
  EXPECT_EQ(first.leastStep(), 2);
  EXPECT_EQ(first.greatestStep(), 9);
}

TEST(ImplicitMoves, AreCountedAtTheirFirstCollective) {
  ImplicitMoves moves;
  EventId id = 0;
  const auto add = [&](EventKind kind, EventId parent, Verdict verdict = Verdict::None) {
    Event event;
    event.kind = kind;
    event.parent = parent;
    event.verdict = verdict;
    return moves.add(++id, event);
  };
  using enum EventKind;
  EXPECT_FALSE(add(Operator, 0));
  EXPECT_FALSE(add(Collective, 1));
  EXPECT_FALSE(add(Redistribute, 1, Verdict::Explicit));
  EXPECT_FALSE(add(Collective, 3));
  EXPECT_FALSE(add(Redistribute, 1, Verdict::Implicit));
  EXPECT_FALSE(add(Plan, 5));
  EXPECT_TRUE(add(Collective, 6));
  EXPECT_FALSE(add(Collective, 5));
  // Many events later, a second one.
  for (int i = 0; i < 10'000; ++i) add(Redistribute, 1, Verdict::Implicit);
  EXPECT_TRUE(add(Collective, id));
}

}  // namespace
}  // namespace shardlens
