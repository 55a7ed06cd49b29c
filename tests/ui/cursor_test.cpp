#include "ui/bridge/cursor.h"

#include "core/trace/recorder/event_makers.h"
#include "tests/ui/support/lookup_run.h"

#include <gmock/gmock.h>

#include <QSignalSpy>
#include <QTest>

namespace shardlens {
namespace {

using testing::ElementsAre;

TEST(Cursor, StepsForwardAndBackToEqualSnapshots) {
  Journal journal;
  recordLookup(journal);
  Cursor cursor;
  cursor.setJournal(journal);
  std::vector<Snapshot> forward{cursor.snapshot()};
  while (!cursor.atEnd()) {
    cursor.step();
    forward.push_back(cursor.snapshot());
  }
  EXPECT_EQ(cursor.position(), journal.size());
  for (EventId k = journal.size(); k > 0; --k) {
    EXPECT_EQ(cursor.snapshot(), forward[k]);
    cursor.back();
  }
  EXPECT_EQ(cursor.snapshot(), forward[0]);
}

TEST(Cursor, StaysInsideTheRecording) {
  Journal journal;
  recordLookup(journal);
  Cursor cursor;
  cursor.setJournal(journal);
  cursor.back();
  EXPECT_EQ(cursor.position(), 0U);
  cursor.toEnd();
  cursor.step();
  cursor.moveTo(10'000);
  EXPECT_EQ(cursor.position(), journal.size());
  EXPECT_FALSE(cursor.waits());
}

TEST(Cursor, StepsOverNestedEvents) {
  Journal journal;
  recordLookup(journal);
  Cursor cursor;
  cursor.setJournal(journal);
  cursor.moveTo(LookupRun::find(journal, EventKind::Redistribute));
  cursor.over();
  EXPECT_EQ(journal.at(cursor.position()).kind, EventKind::Compute);
  cursor.moveTo(LookupRun::find(journal, EventKind::Step, 2));
  cursor.over();
  EXPECT_EQ(cursor.position(), LookupRun::find(journal, EventKind::Step, 3));
  cursor.over();  // nothing follows the last step
  EXPECT_EQ(cursor.position(), journal.size());
}

TEST(Cursor, StepsOutOfASpan) {
  Journal journal;
  recordLookup(journal);
  Cursor cursor;
  cursor.setJournal(journal);
  const EventId redistribute = LookupRun::find(journal, EventKind::Redistribute);
  cursor.moveTo(redistribute + 1);
  ASSERT_EQ(journal.at(cursor.position()).parent, redistribute);
  cursor.out();
  EXPECT_EQ(journal.at(cursor.position()).kind, EventKind::Compute);
  EXPECT_EQ(journal.at(cursor.position()).parent, journal.at(redistribute).parent);
}

TEST(Cursor, StepsBackOverNestedEvents) {
  Journal journal;
  recordLookup(journal);
  Cursor cursor;
  cursor.setJournal(journal);
  const EventId step = LookupRun::find(journal, EventKind::Step, 3);
  cursor.moveTo(step);
  cursor.backOver();
  EXPECT_EQ(cursor.position(), LookupRun::find(journal, EventKind::Step, 2));
  cursor.moveTo(step + 1);
  cursor.backOver();  // the first event inside of a span: moves to the span
  EXPECT_EQ(cursor.position(), step);
  cursor.moveTo(LookupRun::find(journal, EventKind::Compute));
  cursor.backOver();  // the previous span of the same operator, not the operator
  EXPECT_EQ(cursor.position(), LookupRun::find(journal, EventKind::Redistribute));
  cursor.moveTo(1);
  cursor.backOver();
  cursor.backOver();
  EXPECT_EQ(cursor.position(), 0U);
}

TEST(Cursor, QuickStepsAreNotLost) {
  Journal journal;
  std::vector<EventId> requested;
  Cursor cursor;
  cursor.setJournal(journal, [&](EventId to) { requested.push_back(to); });
  for (int i = 0; i < 10; ++i) {
    cursor.step();
  }
  EXPECT_THAT(requested, ElementsAre(1U));  // one request at a time
  recordLookup(journal);
  cursor.journalGrew();
  EXPECT_EQ(cursor.position(), 10U);
  EXPECT_FALSE(cursor.waits());
}

TEST(Cursor, AbsolutePositionReplacesQueuedSteps) {
  Journal journal;
  Cursor cursor;
  cursor.setJournal(journal, [](EventId) {});
  cursor.step();
  cursor.over();
  cursor.over();
  cursor.moveTo(2);
  recordLookup(journal);
  cursor.journalGrew();
  EXPECT_EQ(cursor.position(), 2U);
}

TEST(Cursor, RunsToTheEndOfALaterStep) {
  Journal journal;
  std::vector<EventId> requested;
  Cursor cursor;
  cursor.setJournal(journal, [&](EventId to) { requested.push_back(to); });
  cursor.toEndOfStep(1);
  EXPECT_THAT(requested, ElementsAre(1U));
  recordLookup(journal);
  cursor.journalGrew();
  EXPECT_EQ(cursor.position(), LookupRun::find(journal, EventKind::Step, 2) - 1);
  cursor.toEndOfStep(100);  // no such step: moves to the end
  EXPECT_TRUE(cursor.waits());
  cursor.journalEnded();
  EXPECT_EQ(cursor.position(), journal.size());
}

TEST(Cursor, EndedStepRequestsNoEvents) {
  Journal journal;
  recordLookup(journal);
  std::vector<EventId> requested;
  Cursor cursor;
  cursor.setJournal(journal, [&](EventId to) { requested.push_back(to); });
  cursor.toEndOfStep(journal.at(journal.size()).step);
  EXPECT_EQ(cursor.position(), journal.size());
  EXPECT_FALSE(cursor.waits());
  EXPECT_TRUE(requested.empty());
}

TEST(Cursor, RequestsEventsAtTheEndOfALiveRun) {
  Journal journal;
  std::vector<EventId> requested;
  Cursor cursor;
  cursor.setJournal(journal, [&](EventId to) { requested.push_back(to); });
  cursor.step();
  EXPECT_THAT(requested, ElementsAre(1U));
  EXPECT_TRUE(cursor.waits());
  EXPECT_EQ(cursor.position(), 0U);
  recordLookup(journal);
  cursor.journalGrew();
  EXPECT_EQ(cursor.position(), 1U);
  EXPECT_FALSE(cursor.waits());
  cursor.moveTo(journal.size() + 5);
  EXPECT_THAT(requested, ElementsAre(1U, journal.size() + 5));
}

TEST(Cursor, NewRequestReplacesTheQueuedOne) {
  Journal journal;
  Cursor cursor;
  cursor.setJournal(journal, [](EventId) {});
  cursor.moveTo(5);
  cursor.moveTo(3);
  recordLookup(journal);
  cursor.journalGrew();
  EXPECT_EQ(cursor.position(), 3U);
  cursor.moveTo(journal.size() + 5);
  cursor.back();  // replaces the waiting move
  cursor.journalGrew();
  EXPECT_EQ(cursor.position(), 2U);
  EXPECT_FALSE(cursor.waits());
}

TEST(Cursor, RequestSurvivesANewJournal) {
  Journal journal;
  Cursor cursor;
  const Journal nothing;
  cursor.setJournal(nothing, [](EventId) {});
  cursor.moveTo(4);
  recordLookup(journal);
  cursor.adoptJournal(journal);
  cursor.journalGrew();
  EXPECT_EQ(cursor.position(), 4U);
}

TEST(Cursor, ShowsTheLastEventOfAnEarlyEnd) {
  Journal journal;
  Cursor cursor;
  cursor.setJournal(journal, [](EventId) {});
  cursor.toEnd();
  recordLookup(journal);
  cursor.journalEnded();
  EXPECT_EQ(cursor.position(), journal.size());
  EXPECT_TRUE(cursor.atEnd());
}

TEST(Cursor, EmitsMovedOncePerFrame) {
  Journal journal;
  recordLookup(journal);
  Cursor cursor;
  QSignalSpy moved(&cursor, &Cursor::moved);
  cursor.setJournal(journal);
  for (int i = 0; i < 10; ++i) {
    cursor.step();
  }
  ASSERT_TRUE(moved.wait());
  EXPECT_EQ(moved.count(), 1);
  EXPECT_EQ(cursor.position(), 10U);
}

}  // namespace
}  // namespace shardlens
