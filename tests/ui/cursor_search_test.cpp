// Tests moves of the cursor whose target must be searched for, in slices if it is far away.
#include "core/trace/recorder/event_makers.h"
#include "tests/ui/support/lookup_run.h"
#include "ui/bridge/cursor.h"

#include <gmock/gmock.h>

#include <QSignalSpy>
#include <QTest>

namespace shardlens {
namespace {

using testing::ElementsAre;

// The journal has three steps: one with too many events for one slice, one with one event, and a
// step with the number of the first.
constexpr EventId kFar = 500'000;

void recordFar(Journal& journal) {
  Recorder recorder;
  recorder.addSink(journal);
  for (const int step : {0, 1, 0}) {
    recorder.setStep(step, step + 1);
    const Span span(recorder, makeStep(recorder, "train()"));
    while (journal.size() < kFar) {
      recorder.note(makeCompute(recorder, "local op"));
    }
  }
}

bool arrives(const Cursor& cursor, EventId position) {
  return QTest::qWaitFor([&] { return !cursor.waits(); }) && cursor.position() == position;
}

TEST(Cursor, ContinuesADistantSearch) {
  Journal journal;
  recordFar(journal);
  ASSERT_EQ(journal.size(), kFar + 2);
  Cursor cursor;
  cursor.setJournal(journal);
  cursor.toEndOfStep(0);
  EXPECT_TRUE(cursor.waits());
  EXPECT_EQ(cursor.position(), 0U);
  EXPECT_TRUE(arrives(cursor, kFar));
  cursor.moveTo(1);
  cursor.over();
  EXPECT_TRUE(cursor.waits());
  EXPECT_TRUE(arrives(cursor, kFar + 1));
}

TEST(Cursor, NewRequestReplacesADistantSearch) {
  Journal journal;
  recordFar(journal);
  Cursor cursor;
  cursor.setJournal(journal);
  cursor.moveTo(1);
  cursor.over();
  cursor.step();  // queued behind the search
  cursor.back();
  EXPECT_FALSE(cursor.waits());
  EXPECT_EQ(cursor.position(), 0U);
  QTest::qWait(0);
  EXPECT_EQ(cursor.position(), 0U);
}

// The cursor requests no more events from the engine while it searches existing ones.
TEST(Cursor, RequestsEventsAfterSearchingAll) {
  Journal journal;
  recordFar(journal);
  std::vector<EventId> requested;
  Cursor cursor;
  cursor.setJournal(journal, [&](EventId to) { requested.push_back(to); });
  cursor.toEndOfStep(2);
  EXPECT_TRUE(requested.empty());
  EXPECT_TRUE(QTest::qWaitFor([&] { return !requested.empty(); }));
  EXPECT_THAT(requested, ElementsAre(kFar + 3));
  EXPECT_TRUE(cursor.waits());
  cursor.journalEnded();
  EXPECT_TRUE(arrives(cursor, kFar + 2));
}

// Returns an open event of a step, inside of the span `parent`.
Event eventOf(int step, EventId parent = 0) {
  Event event;
  event.duration = Event::kRunning;
  event.step = step;
  event.parent = parent;
  return event;
}

TEST(Cursor, FindsItsTargetWhileTheJournalGrows) {
  Journal journal;
  Cursor ends;
  ends.setJournal(journal, [](EventId) {});
  ends.toEndOfStep(0);
  Cursor over;
  over.setJournal(journal, [](EventId) {});
  over.step();
  over.over();
  EventId id = 0;
  for (const Event& event :
       {eventOf(0), eventOf(0, 1), eventOf(0, 2), eventOf(0, 1), eventOf(1), eventOf(2)}) {
    EXPECT_EQ(ends.waits(), id < 5);
    journal.onEvent(++id, event);
    ends.journalGrew();
    over.journalGrew();
  }
  EXPECT_EQ(ends.position(), 4U);
  EXPECT_EQ(over.position(), 5U);
}

TEST(Cursor, RestartsTheSearchInANewJournal) {
  Journal few;
  few.onEvent(1, eventOf(0));
  few.onEvent(2, eventOf(0));
  Cursor cursor;
  cursor.setJournal(few, [](EventId) {});
  cursor.toEndOfStep(0);
  EXPECT_TRUE(cursor.waits());
  Journal all;
  all.onEvent(1, eventOf(0));
  all.onEvent(2, eventOf(1));
  all.onEvent(3, eventOf(1));
  cursor.adoptJournal(all);
  cursor.journalGrew();
  EXPECT_EQ(cursor.position(), 1U);
}

std::vector<Query> queries(std::initializer_list<const char*> texts) {
  std::vector<Query> all;
  for (const char* text : texts) {
    all.push_back(parseQuery(text).value());
  }
  return all;
}

TEST(Cursor, FindsTheNextMatchOfAnyQuery) {
  Journal journal;
  recordLookup(journal);
  Cursor cursor;
  QSignalSpy found(&cursor, &Cursor::found);
  cursor.setJournal(journal);
  const auto any = queries({"id:9", "id:4", "id:7"});
  for (const EventId expected : {EventId{4}, EventId{7}, EventId{9}, journal.size()}) {
    cursor.toNext(any, Cursor::IfNone::ToTheEnd);
    EXPECT_EQ(cursor.position(), expected);
  }
  for (const EventId expected : {9U, 7U, 4U, 0U}) {
    cursor.toPrevious(any, Cursor::IfNone::ToTheEnd);
    EXPECT_EQ(cursor.position(), expected);
  }
  std::vector<EventId> results;
  for (const auto& arguments : found) {
    results.push_back(arguments.front().value<EventId>());
  }
  EXPECT_THAT(results, ElementsAre(4U, 7U, 9U, 0U, 9U, 7U, 4U, 0U));
}

TEST(Cursor, StaysIfNothingMatches) {
  Journal journal;
  recordLookup(journal);
  Cursor cursor;
  cursor.setJournal(journal);
  cursor.moveTo(5);
  cursor.toNext(queries({"id:5", "id:2"}), Cursor::IfNone::Stay);
  EXPECT_EQ(cursor.position(), 5U);
  cursor.toPrevious(queries({"id:5", "id:8"}), Cursor::IfNone::Stay);
  EXPECT_EQ(cursor.position(), 5U);
  cursor.toNext({}, Cursor::IfNone::ToTheEnd);
  EXPECT_EQ(cursor.position(), journal.size());
  cursor.toPrevious({}, Cursor::IfNone::ToTheEnd);
  EXPECT_EQ(cursor.position(), 0U);
}

TEST(Cursor, SearchesInSlicesInBothDirections) {
  Journal journal;
  recordFar(journal);
  Cursor cursor;
  cursor.setJournal(journal);
  cursor.toNext(queries({"kind:step step:2"}), Cursor::IfNone::Stay);
  EXPECT_TRUE(cursor.waits());
  EXPECT_TRUE(arrives(cursor, kFar + 1));
  cursor.toPrevious(queries({"kind:step step:1"}), Cursor::IfNone::Stay);
  EXPECT_TRUE(cursor.waits());
  EXPECT_TRUE(arrives(cursor, 1));
  cursor.toNext(queries({"id:0"}), Cursor::IfNone::Stay);
  EXPECT_TRUE(cursor.waits());
  cursor.stay();
  EXPECT_FALSE(cursor.waits());
  QTest::qWait(0);
  EXPECT_EQ(cursor.position(), 1U);
}

TEST(Cursor, WaitsForAMatchWhileTheJournalGrows) {
  Journal journal;
  std::vector<EventId> requested;
  Cursor cursor;
  cursor.setJournal(journal, [&](EventId to) { requested.push_back(to); });
  cursor.toNext(queries({"step:3"}), Cursor::IfNone::ToTheEnd);
  EXPECT_THAT(requested, ElementsAre(256U));
  journal.onEvent(1, eventOf(0));
  cursor.journalGrew();
  EXPECT_EQ(cursor.position(), 0U);
  journal.onEvent(2, eventOf(2));
  journal.onEvent(3, eventOf(2));
  cursor.journalGrew();
  EXPECT_EQ(cursor.position(), 2U);
  cursor.toNext(queries({"step:6"}), Cursor::IfNone::ToTheEnd);
  EXPECT_THAT(requested, ElementsAre(256U, 257U, 259U));
  cursor.journalEnded();
  EXPECT_EQ(cursor.position(), 3U);
}

TEST(Cursor, RestartsTheMatchSearchInANewJournal) {
  Journal few;
  few.onEvent(1, eventOf(0));
  few.onEvent(2, eventOf(0));
  Cursor cursor;
  cursor.setJournal(few, [](EventId) {});
  cursor.toNext(queries({"step:2"}), Cursor::IfNone::ToTheEnd);
  EXPECT_TRUE(cursor.waits());
  Journal all;
  all.onEvent(1, eventOf(0));
  all.onEvent(2, eventOf(1));
  cursor.adoptJournal(all);
  cursor.journalGrew();
  EXPECT_EQ(cursor.position(), 2U);
}

}  // namespace
}  // namespace shardlens
