// Tests that the rank that stopped first is the problem, and what other ranks did its consequences.
#include "tests/query/problems/problems_fixture.h"

#include <map>
#include <set>

namespace shardlens {
namespace {

using ::testing::ElementsAre;

// Four ranks on a 2x2 mesh. Rank 3 stops before all_reduce of ranks 2, 3; rank 2 fails in it, and
// rank 0 waits for rank 2 until the launcher kills it.
class ConsequencesTest : public ProblemsTest {
 protected:
  ConsequencesTest() {
    recorder_.setStep(0, 1);
    waited_ = call("0,2");
    product_ = recorder_.note(makeOperator(recorder_, "aten.mm"));
    failed_ = call("2,3");
    recorder_.meta("hosted", "0-3");
    of_ = {{0, {waited_}}, {1, {product_}}, {2, {product_, failed_}}, {3, {product_}}};
    journal_.setPartLookup([this](EventId id, int rank) -> std::optional<EventPart> {
      if (!of_[rank].contains(id)) return std::nullopt;
      return EventPart{5, id == waited_ ? Event::kRunning : 1};
    });
  }

  EventId call(const char* ranks) {
    return recorder_.note(
        makeCollective(recorder_, CollectiveKind::AllReduce, ranks, 1, 8, {}, ranks));
  }
  void raise(int rank, const char* message) {
    of_[rank].insert(recorder_.note(makeError(recorder_, message)));
  }
  std::vector<std::string> all(const std::vector<int>& lost) {
    std::vector<std::string> texts;
    for (const Problem& each : findProblems(journal_, lost)) {
      texts.push_back(each.rule + ": " + each.sentence +
                      (each.consequences.empty() ? "" : ". then " + each.consequences));
    }
    return texts;
  }

  EventId waited_ = 0, product_ = 0, failed_ = 0;
  std::map<int, std::set<EventId>> of_;  // the events of each rank
};

constexpr auto kClosed = "RuntimeError: Connection closed by peer";

// The wait is the first event of the journal, before the error.
TEST_F(ConsequencesTest, AnErrorOfOneRankIsTheCause) {
  raise(3, "ValueError: 7 rows, expected 8");
  EXPECT_THAT(all({}),
              ElementsAre("refused-step: rank 3: ValueError: 7 rows, expected 8",
                          "rank-that-waits: all_reduce: rank 0 has waited for rank 2 since 5 ns "
                          "after the start"))
      << "rank 2 is running";
  raise(2, kClosed);
  EXPECT_THAT(all({}),
              ElementsAre("refused-step: rank 3: ValueError: 7 rows, expected 8. then rank "
                          "0 waits in all_reduce; rank 2 failed in all_reduce"));
  EXPECT_THAT(all({0}), ElementsAre("refused-step: rank 3: ValueError: 7 rows, expected 8. then "
                                    "rank 0 died in all_reduce; rank 2 failed in all_reduce"));
}

TEST_F(ConsequencesTest, ARankThatDiedOutsideOfACollectiveIsListedAfterTheError) {
  raise(3, "ValueError: 7 rows, expected 8");
  raise(2, kClosed);
  EXPECT_THAT(all({0, 1}),
              ElementsAre("refused-step: rank 3: ValueError: 7 rows, expected 8. then rank 0 died "
                          "in all_reduce; rank 2 failed in all_reduce",
                          "process-died: rank 1 died without closing its recording, of which the "
                          "last event is aten.mm"));
}

TEST_F(ConsequencesTest, ARankThatWasKilledIsTheCauseOfThoseThatWaited) {
  raise(2, kClosed);
  EXPECT_THAT(all({0, 3}),
              ElementsAre("process-died: rank 3 died without closing its recording, of which the "
                          "last event is aten.mm. then rank 0 died in all_reduce; rank 2 failed in "
                          "all_reduce"));
}

TEST_F(ConsequencesTest, ARankThatLeftTheProgramIsTheCause) {
  raise(2, "RuntimeError: Timed out waiting 1800000ms for recv operation to complete");
  EXPECT_EQ(
      all({0}).front(),
      "rank-ended: rank 3 did not call all_reduce, which rank 2 called: the last event of its "
      "recording is aten.mm. then rank 0 died in all_reduce; rank 2 failed in all_reduce");
}

// Ranks 1 and 3 raise different errors. Rank 0 waits for 2, and 2 for 3; no rank waits for 1.
TEST_F(ConsequencesTest, EachErrorHasTheRanksThatWaitForItsRank) {
  raise(1, "NameError: name 'lr' is not defined");
  raise(3, "ValueError: 7 rows, expected 8");
  raise(2, kClosed);
  EXPECT_THAT(all({0}),
              ElementsAre("refused-step: rank 1: NameError: name 'lr' is not defined",
                          "refused-step: rank 3: ValueError: 7 rows, expected 8. then rank 0 died "
                          "in all_reduce; rank 2 failed in all_reduce"));
}

// Rank 2 raises an error of its own after it waited for rank 3.
TEST_F(ConsequencesTest, AnErrorThatWasRaisedInACollectiveIsNotHidden) {
  raise(2, "NameError: name 'lr' is not defined");
  raise(3, "ValueError: 7 rows, expected 8");
  EXPECT_THAT(all({0}), ElementsAre("refused-step: rank 2: NameError: name 'lr' is not defined. "
                                    "then rank 0 died in all_reduce",
                                    "refused-step: rank 3: ValueError: 7 rows, expected 8"));
}

// Rank 3 raises an error in a step in which the ranks 0 and 2 wait for each other.
TEST_F(ConsequencesTest, ADeadlockOfOtherRanksIsNotAConsequence) {
  const EventId other = call("0,2");
  of_[2].erase(failed_);
  of_[2].insert(other);
  of_[0] = {waited_};
  raise(3, "ValueError: 7 rows, expected 8");
  EXPECT_THAT(all({0, 2}),
              ElementsAre("refused-step: rank 3: ValueError: 7 rows, expected 8",
                          testing::StartsWith("rank-that-waits: all_reduce: rank 0 has waited"),
                          testing::StartsWith("process-died: ranks 0, 2 died")));
}

// One event has the calls of two groups. That of rank 0 is complete: it died for another reason.
TEST_F(ConsequencesTest, ACollectiveOfAnotherGroupIsNotWaitedFor) {
  const EventId both = call("0,1|2,3");
  for (const int rank : {0, 1, 2}) of_[rank] = {product_, both};
  raise(2, kClosed);
  raise(3, "ValueError: 7 rows, expected 8");
  EXPECT_THAT(all({0}), ElementsAre("refused-step: rank 3: ValueError: 7 rows, expected 8. then "
                                    "rank 2 failed in all_reduce",
                                    "process-died: rank 0 died without closing its recording, of "
                                    "which the last event is all_reduce"));
}

// Ctrl+C in a run that hangs interrupts all ranks.
TEST_F(ConsequencesTest, AnInterruptIsNotTheCause) {
  raise(2, "KeyboardInterrupt");
  raise(3, "KeyboardInterrupt");
  EXPECT_THAT(
      all({}),
      ElementsAre("rank-ended: rank 3 did not call all_reduce, which rank 2 called: its last event "
                  "before KeyboardInterrupt is aten.mm. then rank 0 waits in all_reduce; rank 2 "
                  "ended in all_reduce",
                  "refused-step: ranks 2, 3: KeyboardInterrupt"));
}

}  // namespace
}  // namespace shardlens
