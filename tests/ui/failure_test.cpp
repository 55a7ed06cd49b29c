#include "ui/bridge/failure.h"

#include "core/trace/recorder/event_makers.h"
#include "core/trace/recorder/recorder.h"

#include <gmock/gmock.h>

namespace shardlens {
namespace {

TEST(Failure, IsTheFirstFailureOfAGrowingJournal) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  const auto note = [&](EventKind kind, const char* name) {
    Event event;
    event.kind = kind;
    event.name = recorder.intern(name);
    return recorder.note(event);
  };
  recorder.setStep(2, 7);
  const EventId step = note(EventKind::Step, "y = mm(w, x)");
  EXPECT_EQ(journal.firstError(), 0U);
  EXPECT_FALSE(failureOf(journal, {}));
  note(EventKind::Error, "no such rule");
  note(EventKind::Error, "what came of it");
  EXPECT_EQ(journal.firstError(), step + 1);
  const auto failure = failureOf(journal, {});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->at, step + 1);
  EXPECT_EQ(failure->text, QStringLiteral("Step 3, y = mm(w, x): no such rule"));
}

// The steps of a job have no other name.
TEST(Failure, DoesNotRepeatTheNumberOfItsStep) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  recorder.setStep(2, 0);
  recorder.note(makeStep(recorder, "step 3"));
  recorder.note(makeError(recorder, "RuntimeError: timed out"));
  EXPECT_EQ(failureOf(journal, {})->text, QStringLiteral("Step 3: RuntimeError: timed out"));
}

// Rank 1 is killed. Rank 0 waits for it and is killed by the launcher; rank 2 loses the connection.
TEST(Failure, NamesTheRankThatStoppedFirst) {
  Journal journal;
  Recorder recorder;
  recorder.addSink(journal);
  recorder.meta("hosted", "0-2");
  const EventId product = recorder.note(makeOperator(recorder, "aten.mm"));
  const EventId sum =
      recorder.note(makeCollective(recorder, CollectiveKind::AllReduce, "0,1", 0, 8, {}));
  const EventId error =
      recorder.note(makeError(recorder, "RuntimeError: Connection closed by peer"));
  journal.setPartLookup([&](EventId id, int rank) -> std::optional<EventPart> {
    const bool has = id == product || (id == sum && rank == 0) || (id == error && rank == 2);
    return has ? std::optional(EventPart{}) : std::nullopt;
  });
  const auto killed = failureOf(journal, {0, 1});
  EXPECT_EQ(killed->text, QStringLiteral("Rank 1 died without closing its recording, of which the "
                                         "last event is aten.mm."));
  EXPECT_EQ(killed->at, product);
  EXPECT_EQ(failureOf(journal, {})->at, error) << "no rank is known to be lost";
}

}  // namespace
}  // namespace shardlens
