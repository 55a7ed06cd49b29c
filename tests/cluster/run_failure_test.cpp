#include "core/cluster/run_failure.h"

#include "core/cluster/timeouts.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

using State = Heartbeat::State;

const MessageInfo kExpected{1, 0, 1, 12, "float32", /*incoming=*/true, false};

// Returns the heartbeat of rank `process`, which waits in its second collective.
Heartbeat waiting(int process) {
  Heartbeat notice;
  notice.process = process;
  notice.ranksPerProcess = 1;
  notice.state = State::Waits;
  notice.position = {3, 2};
  notice.step = "step y";
  notice.kind = "all_reduce";
  notice.exchange = "all_reduce among ranks 0,1";
  return notice;
}

std::string diagnosed(const Heartbeat& theirs, const Stall& stall,
                      const Heartbeat& mine = waiting(0)) {
  const auto failure = diagnose(mine, theirs, stall);
  return failure ? std::to_string(failure->process) + ": " + failure->text : "no failure";
}

TEST(GlooVerdict, AProcessWithoutNewHeartbeatsIsSilentAfterAFixedNumberOfBeats) {
  auto theirs = waiting(1);
  theirs.state = State::Works;
  theirs.exchange.clear();
  theirs.position.collectives = 1;
  EXPECT_EQ(diagnosed(theirs, {kExpected, 99, kHeartbeatsUntilSilent - 1, 0}), "no failure");
  EXPECT_EQ(diagnosed(theirs, {kExpected, 99, kHeartbeatsUntilSilent, 0}),
            "1: step y: all_reduce among ranks 0,1: rank 1 hangs: no heartbeat for more than " +
                secondsText(kHeartbeatsUntilSilent) +
                ", last heartbeat in step y; rank 0 expected 12 bytes from rank 1");
}

TEST(GlooVerdict, WaitsForAProcessThatIsBehind) {
  auto theirs = waiting(1);
  theirs.position.collectives = 1;
  theirs.kind = "all_gather";
  EXPECT_EQ(diagnosed(theirs, {kExpected, 99, 0, 0}), "no failure");
}

TEST(GlooVerdict, AProcessThatContinuedGetsTimeForMessagesInTransit) {
  auto theirs = waiting(1);
  theirs.position.collectives = 3;
  EXPECT_EQ(diagnosed(theirs, {kExpected, 99, 0, kHeartbeatsUntilLate - 1}), "no failure");
  EXPECT_EQ(diagnosed(theirs, {kExpected, 99, 0, kHeartbeatsUntilLate}),
            "1: step y: all_reduce among ranks 0,1: rank 0 expected 12 bytes from rank 1, but rank "
            "1 has gone on without it, to step y, all_reduce among ranks 0,1");
}

TEST(GlooVerdict, MessagesAreComparedOnceAllAreReceived) {
  auto theirs = waiting(1);
  EXPECT_EQ(diagnosed(theirs, {kExpected, 2, 0, 0}), "no failure");
  theirs.allMessages = true;
  EXPECT_EQ(diagnosed(theirs, {kExpected, 2, 0, 0}),
            "1: step y: all_reduce among ranks 0,1: rank 0 expected 12 bytes from rank 1, which "
            "had nothing for it");
  theirs.messages = {{1, 0, 0, 12, "float32", /*incoming=*/false, false}};
  EXPECT_EQ(diagnosed(theirs, {kExpected, 99, 0, 0}), "no failure");
  theirs.messages[0].dtype = "int32";
  EXPECT_EQ(diagnosed(theirs, {kExpected, 2, 0, 0}),
            "1: step y: all_reduce among ranks 0,1: rank 0 expected 12 bytes of float32 from rank "
            "1, which had 12 bytes of int32 for it");
}

// All processes refuse a step together, so the remaining ones may only be late.
TEST(GlooVerdict, ARefusalOfOneProcessIsAFailureAfterTheDeadline) {
  auto theirs = waiting(1);
  theirs.position = {4, 0};
  theirs.inStrings = true;
  theirs.kind = "words";
  theirs.refusal = "no memory left";
  EXPECT_EQ(diagnosed(theirs, {kExpected, 99, 0, kHeartbeatsUntilFailed - 1}), "no failure");
  const auto failed = "1: rank 1 failed in step y: no memory left";
  EXPECT_EQ(diagnosed(theirs, {kExpected, 99, 0, kHeartbeatsUntilFailed}), failed);
  // The process with the refusal diagnoses itself as well.
  EXPECT_EQ(diagnosed(waiting(0), {kExpected, kHeartbeatsUntilFailed, 0, 0}, theirs), failed);
  EXPECT_EQ(diagnosed(waiting(0), {kExpected, kHeartbeatsUntilFailed - 1, 0, 0}, theirs),
            "no failure");
}

TEST(GlooVerdict, ProcessesOfSeveralRanksAreNamedWithThem) {
  auto notice = waiting(1);
  notice.ranksPerProcess = 3;
  EXPECT_EQ(nameOf(notice), "process 1 (ranks 3-5)");
  notice.ranksPerProcess = 0;
  EXPECT_EQ(nameOf(notice), "process 1");
}

TEST(GlooVerdict, NoticesAndVerdictsAreReadAsTheyWereWritten) {
  auto notice = waiting(2);
  notice.beat = 7;
  notice.refusal = "größer";
  notice.messages = {kExpected};
  notice.allMessages = true;
  EXPECT_EQ(heartbeatFrom(toText(notice)), notice);
  for (const bool isRefusal : {false, true}) {
    const RunFailure failure{2, "rank 2 is gone", isRefusal};
    EXPECT_EQ(runFailureFrom(toText(failure)), failure);
  }
}

}  // namespace
}  // namespace shardlens
