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

}  // namespace
}  // namespace shardlens
