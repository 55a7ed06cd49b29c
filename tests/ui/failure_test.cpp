#include "ui/bridge/failure.h"

#include "core/query/problems/rank_ends.h"
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

// Rank 0 loses the connection to rank 1, and its error is merged before that of rank 1.
class FailureOfARun : public testing::Test {
 protected:
  FailureOfARun() {
    recorder_.addSink(journal_);
    recorder_.meta("hosted", "0-1");
    product_ = recorder_.note(makeOperator(recorder_, "aten.mm"));
    sum_ = recorder_.note(makeCollective(recorder_, CollectiveKind::AllReduce, "0,1", 0, 8, {}));
  }
  // Records the errors of ranks 0 and 1; "": no error.
  void raise(const char* first, std::string_view second) {
    const EventId lost = recorder_.note(makeError(recorder_, first));
    raised_ = second.empty() ? 0 : recorder_.note(makeError(recorder_, second));
    journal_.setPartLookup([=, this](EventId id, int rank) -> std::optional<EventPart> {
      const bool has = id == product_ || (rank == 0 && (id == sum_ || id == lost)) ||
                       (rank == 1 && id == raised_);
      return has ? std::optional(EventPart{}) : std::nullopt;
    });
  }

  Journal journal_;
  Recorder recorder_;
  EventId product_ = 0, sum_ = 0, raised_ = 0;
};

TEST_F(FailureOfARun, NamesTheErrorThatWasRaised) {
  raise("RuntimeError: Connection closed by peer", "ValueError: 7 rows");
  for (const std::vector<int>& lost : {std::vector<int>(), {0}}) {
    const auto failed = failureOf(journal_, lost);
    EXPECT_EQ(failed->text, QStringLiteral("ValueError: 7 rows"));
    EXPECT_EQ(failed->at, raised_);
  }
}

TEST_F(FailureOfARun, IsNotTheErrorOfARankThatLostAnotherOne) {
  raise("RuntimeError: Connection closed by peer", "");
  EXPECT_EQ(firstStopOf(journal_), product_);
  EXPECT_FALSE(failureOf(journal_, {})) << "the problem rank-ended describes it";
}

TEST_F(FailureOfARun, IsNotTheInterruptOfARankThatWaits) {
  raise("KeyboardInterrupt", "KeyboardInterrupt");
  EXPECT_EQ(firstStopOf(journal_), product_);
  EXPECT_FALSE(failureOf(journal_, {}));
}

}  // namespace
}  // namespace shardlens
