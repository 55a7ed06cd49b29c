// Tests the rule about ranks of a job that arrive late at collectives.
#include "core/query/problems/problems.h"
#include "core/trace/recorder/event_makers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A job of two groups, (0, 1) and (2, 3), whose ranks start at different times.
class LateRankTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kMillisecond = 1'000'000;

  LateRankTest() {
    recorder_.addSink(journal_);
    recorder_.meta("mesh", "4:tp");
    recorder_.setRanks("0-3");
    recorder_.meta("backend", "DTensor of torch 2.15.0");
    recorder_.meta("hosted", "0-3");
    journal_.setPartLookup([this](EventId id, int rank) { return parts_.at(id).at(rank); });
  }
  // A collective at a line, which rank i calls at times[i], in milliseconds; -1 is another group.
  void call(int line, std::vector<std::int64_t> times, const char* groups = "0,1|2,3") {
    recorder_.setSite({.file = "/home/me/train.py", .line = line});
    auto& parts = parts_[journal_.size() + 1];
    for (int rank = 0; rank < 4; ++rank) {
      const std::int64_t time = times[static_cast<std::size_t>(rank)];
      if (time < 0) {
        parts.emplace_back();
        continue;
      }
      const int clock = rank / 2;
      parts.push_back(EventPart{
          .time = time * kMillisecond, .duration = 1, .clock = clock, .error = clock * error_});
    }
    recorder_.note(
        makeCollective(recorder_, CollectiveKind::AllReduce, groups, 0, 8, {.axis = "tp"}));
  }

  // Records delays as measured on a machine that runs nine processes per core: any of ranks 0 and 1
  // may come 40 ms later after 50 ms of work, so 150 ms after a second of work mean nothing. Rank 1
  // comes later by `late` in each step.
  void runOnABusyMachine(std::int64_t late) {
    call(9, {0, 0, 0, 0}, "0-3");
    std::int64_t time = 1;
    for (const std::int64_t noise : {0, 40, 10, -30}) {
      time += 1000;
      call(26, {time, time + late + noise, -1, -1}, "0,1");
      time += late + noise;
      for (const std::int64_t delay : {15, 4, -38, 30, -7, 59, -12, 8}) {
        time += 50 + std::abs(delay);
        call(27, {delay < 0 ? time : time - delay, delay < 0 ? time + delay : time, -1, -1}, "0,1");
      }
    }
  }

  // Returns the places and sentences of the rule.
  std::vector<std::string> sentences() const {
    std::vector<std::string> all;
    for (const auto& problem : findProblems(journal_)) {
      if (problem.rule == "late-rank") all.push_back(problem.place + ": " + problem.sentence);
    }
    return all;
  }

  Recorder recorder_;
  Journal journal_;
  std::int64_t error_ = 0;
  std::map<EventId, std::vector<std::optional<EventPart>>> parts_;
};

TEST_F(LateRankTest, IsNamedWithItsLineWithinItsGroup) {
  call(9, {0, 3000, 9000, 100});  // the start
  for (const std::int64_t time : {10000, 11000, 12000, 13000}) {
    call(14, {time, time + 1, time + 30, time + 531});
    call(15, {time + 600, time + 601, time + 601, time + 600});
  }
  EXPECT_THAT(sentences(),
              ElementsAre("/home/me/train.py:14: rank 3 arrives 501.0 ms later than the first rank "
                          "at all_reduce over tp, on average over 4 collectives"));
}

// Rank 3 is late for ranks 1 and 3; rank 1, which waits for it there, then arrives late at rank 0.
TEST_F(LateRankTest, IsNotARankThatAnotherOneHeldUp) {
  call(9, {0, 0, 0, 0}, "0-3");
  for (std::int64_t time = 1000; time < 5000; time += 1000) {
    call(14, {time, time, time, time + 500}, "0,2|1,3");
    call(15, {time + 1, time + 501, time + 501, time + 501});
  }
  EXPECT_THAT(sentences(),
              ElementsAre("/home/me/train.py:14: rank 3 arrives 500.0 ms later than the first rank "
                          "at all_reduce over tp, on average over 4 collectives"));
}

TEST_F(LateRankTest, IsNotARankThatStartsLaterThanOthers) {
  call(9, {0, 3000, 9000, 100});
  call(9, {3001, 3002, 9002, 9002});
  call(10, {3003, 3004, 9004, 9009}, "0-3");  // the groups meet
  for (std::int64_t time = 10000; time < 10005; ++time) call(14, {time, time, time, time});
  EXPECT_THAT(sentences(), IsEmpty());
}

TEST_F(LateRankTest, IsNotARankThatIsHeldUpOnceInALoop) {
  call(9, {0, 0, 0, 0}, "0-3");
  for (std::int64_t time = 1000; time < 9000; time += 1000) {
    call(14, {time, time, time, time == 3000 ? time + 700 : time}, "0-3");
  }
  EXPECT_THAT(sentences(), IsEmpty());
  call(20, {9000, 9000, 9600, 9001}, "0-3");  // one call: more than the usual delays
  EXPECT_THAT(sentences(),
              ElementsAre("/home/me/train.py:20: rank 2 arrives 600.0 ms later than the first rank "
                          "at all_reduce over tp"));
}

TEST_F(LateRankTest, IsNotARankThatPreparesTheFirstStepForLonger) {
  recorder_.setStep(0, 1);
  call(9, {0, 0, 0, 0}, "0-3");
  for (std::int64_t time = 1000; time < 5000; time += 1000) {
    call(14, {time, time, time, time}, "0-3");
  }
  call(20, {9000, 9000, 9600, 9001}, "0-3");
  recorder_.setStep(1, 1);
  call(14, {10000, 10000, 10000, 10000}, "0-3");
  EXPECT_THAT(sentences(), IsEmpty());
}

TEST_F(LateRankTest, IsNotARankThatTheSchedulerDelays) {
  runOnABusyMachine(110);
  EXPECT_THAT(sentences(), IsEmpty());
}

// Delays of the first steps, as measured, which fade.
TEST_F(LateRankTest, IsNotARankThatStartsSlowly) {
  runOnABusyMachine(0);
  std::int64_t time = 20000;
  for (const std::int64_t delay : {336, 447, 180, 283, 39, 65}) {
    time += delay + 2;
    call(52, {time - delay, time, -1, -1}, "0,1");
  }
  EXPECT_THAT(sentences(), IsEmpty());
}

TEST_F(LateRankTest, IsNamedOnABusyMachineToo) {
  runOnABusyMachine(600);
  EXPECT_THAT(sentences(),
              ElementsAre("/home/me/train.py:26: rank 1 arrives 605.0 ms later than the first rank "
                          "at all_reduce over tp, on average over 4 collectives"));
}

// Three layers call the same line in each step; rank 3 is late at the second one, from step 3 on.
TEST_F(LateRankTest, IsNamedFromTheStepInWhichItBecomesLate) {
  recorder_.setStep(0, 1);
  call(9, {0, 0, 0, 0}, "0-3");
  for (int step = 0; step < 5; ++step) {
    recorder_.setStep(step, 1);
    const std::int64_t time = 1000 + 1000 * step;
    call(14, {time, time + 3, time, time + 1}, "0-3");
    call(14, {time + 10, time + 12, time + 10, time + 11 + (step >= 2 ? 500 : 0)}, "0-3");
    call(14, {time + 520, time + 521, time + 520, time + 522}, "0-3");
  }
  EXPECT_THAT(sentences(),
              ElementsAre("/home/me/train.py:14: rank 3 arrives 501.0 ms later than the first rank "
                          "at all_reduce over tp, on average over 3 collectives, number 2 of each "
                          "step at this line"));
}

// Two late calls may be chance.
TEST_F(LateRankTest, IsNamedAfterThreeLateCallsInARow) {
  call(9, {0, 0, 0, 0}, "0-3");
  const auto run = [this](std::int64_t from, const std::vector<std::int64_t>& delays) {
    for (const std::int64_t delay : delays) {
      from += 1000;
      call(14, {from, from, from, from + delay}, "0-3");
    }
  };
  run(0, std::vector<std::int64_t>(40, 1));
  run(50000, {300, 300});
  EXPECT_THAT(sentences(), IsEmpty());
  run(60000, {300});
  EXPECT_THAT(sentences(),
              ElementsAre("/home/me/train.py:14: rank 3 arrives 300.0 ms later than the first rank "
                          "at all_reduce over tp, on average over 3 collectives"));
}

TEST_F(LateRankTest, HasTheEventsOfTheRowOnly) {
  call(9, {0, 0, 0, 0}, "0-3");
  std::int64_t time = 0;
  for (const std::int64_t delay : {1, 1, 1, 1, 1, 1, 1, 300, 300, 300, 1, 1, 1}) {
    time += 1000;
    call(14, {time, time, time, time + delay}, "0-3");
  }
  std::vector<EventId> events;
  for (const auto& problem : findProblems(journal_)) {
    if (problem.rule == "late-rank") events = problem.events;
  }
  EXPECT_THAT(events, ElementsAre(9, 10, 11));
}

TEST_F(LateRankTest, IsNotNamedWithinTheErrorOfTheClocks) {
  error_ = 600 * kMillisecond;
  call(9, {0, 0, 0, 0}, "0-3");
  for (std::int64_t time = 1000; time < 5000; time += 1000) {
    call(14, {time, time, time + 500, time + 500}, "0-3");
  }
  EXPECT_THAT(sentences(), IsEmpty());
  error_ = EventPart::kUnknown;
  for (std::int64_t time = 5000; time < 9000; time += 1000) {
    call(14, {time, time, time + 500, time}, "0-3");
  }
  EXPECT_THAT(sentences(), IsEmpty());
}

}  // namespace
}  // namespace shardlens
