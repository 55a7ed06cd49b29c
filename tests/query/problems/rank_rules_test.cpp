// Tests the rules about ranks that wait, call other collectives, or send other sizes.
#include "tests/query/problems/problems_fixture.h"

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(ProblemsTest, RanksThatWaitAreLateOrCallAnotherCollective) {
  constexpr int kCollectives = 10;
  for (int i = 0; i < kCollectives; ++i) send("all_reduce", 8);
  const EventId last = journal_.size();
  recorder_.meta("hosted", "0-3");
  bool allCome = true;
  journal_.setPartLookup([&](EventId id, int rank) -> std::optional<EventPart> {
    if (id == last && !allCome && rank == 1) return std::nullopt;
    const std::int64_t duration = id == last && !allCome ? Event::kRunning : 5;
    return EventPart{id * 10'000'000 + (rank == 2 ? 40'000'000 : rank * 1000), duration};
  });
  recorder_.meta("backend", "gloo");
  EXPECT_THAT(sentences("late-rank"),
              ElementsAre("rank 2 arrives 40.0 ms later than the first rank at all_reduce over tp, "
                          "on average over 10 collectives"));
  EXPECT_THAT(sentences("rank-that-waits"), IsEmpty());
  allCome = false;
  EXPECT_THAT(sentences("rank-that-waits"),
              ElementsAre("all_reduce over tp: ranks 0, 2, 3 have waited for rank 1 since 100.0 ms "
                          "after the start"));
}

// Rank 3 calls nothing: rank 2 waits for it, and rank 0 for rank 2.
TEST_F(ProblemsTest, ARankThatWaitsForOneThatWaitsIsNone) {
  const auto call = [&](const char* ranks) {
    return recorder_.note(
        makeCollective(recorder_, CollectiveKind::AllReduce, ranks, 1, 8, {}, ranks));
  };
  const EventId inner = call("2,3");
  const EventId outer = call("0,2");
  recorder_.meta("hosted", "0-3");
  bool isRank3Late = true;
  journal_.setPartLookup([&](EventId id, int rank) -> std::optional<EventPart> {
    const bool has = id == inner ? rank == 2 || (rank == 3 && !isRank3Late) : rank == 0;
    if (!has) return std::nullopt;
    return EventPart{5, id == outer || isRank3Late ? Event::kRunning : 1};
  });
  EXPECT_THAT(sentences("rank-that-waits"),
              ElementsAre(HasSubstr("rank 2 has waited for rank 3 ")));
  isRank3Late = false;
  EXPECT_THAT(sentences("rank-that-waits"),
              ElementsAre(HasSubstr("rank 0 has waited for rank 2 ")));
}

// Rank 3 leaves the program, so that rank 1 fails in its collective with it, and rank 0 in that
// with rank 1.
TEST_F(ProblemsTest, ARankThatEndsBeforeACollectiveIsTheCauseOfTheErrors) {
  recorder_.setStep(0, 1);
  const EventId last = recorder_.note(makeOperator(recorder_, "aten.mm"));
  const auto call = [&](const char* ranks) {
    return recorder_.note(
        makeCollective(recorder_, CollectiveKind::AllReduce, ranks, 1, 8, {}, ranks));
  };
  const EventId first = call("1,3,4");
  const EventId second = call("0,1");
  recorder_.setStep(1, 2);
  const EventId later = recorder_.note(makeStep(recorder_, "step 2"));
  recorder_.setStep(2, 2);
  const EventId tooLate = recorder_.note(makeStep(recorder_, "step 3"));
  const EventId error =
      recorder_.note(makeError(recorder_, "RuntimeError: Connection closed by peer"));
  recorder_.meta("hosted", "0-3");  // rank 4 was not recorded
  bool hasFailed = false;
  EventId lastOf1 = first, errorOf3 = 0, exit = 0;
  journal_.setPartLookup([&](EventId id, int rank) -> std::optional<EventPart> {
    const bool has = id == last     ? true
                     : id == first  ? rank == 1
                     : id == second ? rank == 0
                     : id == error  ? (hasFailed && rank < 2) || (errorOf3 == error && rank == 3)
                     : id == exit   ? rank == 3
                                    : id == lastOf1 && rank == 1;
    return has ? std::optional(EventPart{5, 1}) : std::nullopt;
  });
  EXPECT_THAT(sentences("rank-ended"), IsEmpty());
  hasFailed = true;
  const char* const kFirst =
      "rank 3 did not call all_reduce, which rank 1 called: the last event of its recording is "
      "aten.mm";
  EXPECT_THAT(sentences("rank-ended"), ElementsAre(kFirst));
  EXPECT_THAT(found("rank-ended")[0].events, ElementsAre(last));
  EXPECT_THAT(sentences("refused-step"), IsEmpty());
  lastOf1 = later;
  EXPECT_THAT(sentences("rank-ended"), ElementsAre(kFirst));
  lastOf1 = tooLate;  // rank 1 has continued without rank 3
  EXPECT_THAT(sentences("rank-ended"), IsEmpty());
  lastOf1 = first;
  errorOf3 = error;  // the error of rank 3 is the cause
  EXPECT_THAT(sentences("rank-ended"), IsEmpty());
  exit = recorder_.note(makeError(recorder_, "SystemExit: 1"));
  EXPECT_THAT(
      sentences("rank-ended"),
      ElementsAre("rank 3 did not call all_reduce, which rank 1 called: its last event before "
                  "SystemExit: 1 is aten.mm"));
}

TEST_F(ProblemsTest, ALostPeerIsOneOnlyIfNothingElseIsKnown) {
  recorder_.note(makeError(recorder_, "RuntimeError: Connection closed by peer [127.0.0.1]:14252"));
  const auto rules = [&](const std::vector<int>& lost) {
    std::vector<std::string> all;
    for (const Problem& problem : findProblems(journal_, lost)) all.push_back(problem.rule);
    return all;
  };
  EXPECT_THAT(rules({}), ElementsAre("refused-step"));
  EXPECT_THAT(rules({2}), ElementsAre("process-died"));
  recorder_.note(makeError(recorder_, "ValueError: wrong"));
  EXPECT_THAT(sentences("refused-step"), ElementsAre("ValueError: wrong"));
}

TEST_F(ProblemsTest, RanksThatSendMoreThanOthers) {
  send("all_gather", 8);  // may differ between ranks
  send("all_reduce", 8);
  recorder_.meta("hosted", "0-3");
  std::int64_t ofLast = 128;
  journal_.setPartLookup([&](EventId, int rank) -> std::optional<EventPart> {
    if (rank == 1) return std::nullopt;
    return EventPart{.bytes = rank == 2 ? 0 : rank == 3 ? ofLast : 128};  // 0: unknown
  });
  EXPECT_THAT(sentences("unequal-sizes"), IsEmpty());
  ofLast = 64;
  EXPECT_THAT(sentences("unequal-sizes"),
              ElementsAre("all_reduce over tp: rank 0 sent 128 B, rank 3 64 B"));
}

TEST_F(ProblemsTest, SizesAreComparedWithinAGroup) {
  recorder_.note(
      makeCollective(recorder_, CollectiveKind::AllReduce, "0,1|2,3", 1, 8, {.axis = "tp"}));
  recorder_.meta("hosted", "0-3");
  std::int64_t ofLast = 32;
  journal_.setPartLookup([&](EventId, int rank) -> std::optional<EventPart> {
    return EventPart{.bytes = rank < 2 ? 48 : rank == 2 ? 32 : ofLast};
  });
  EXPECT_THAT(sentences("unequal-sizes"), IsEmpty());
  ofLast = 48;
  EXPECT_THAT(sentences("unequal-sizes"),
              ElementsAre("all_reduce over tp: rank 2 sent 32 B, rank 3 48 B"));
}

TEST_F(ProblemsTest, NothingFollowsFromUnequalSizes) {
  const auto note = [this](float value) {
    const TensorId id = tensor("x");
    result(id);
    recordValue(recorder_, valueOf<float>(id, 0, {1, 1}, {value}));
  };
  note(std::nanf(""));
  const EventId waited = recorder_.note(
      makeCollective(recorder_, CollectiveKind::AllReduce, "0,1", 0, 8, {.axis = "tp"}));
  const EventId unequal = recorder_.note(
      makeCollective(recorder_, CollectiveKind::AllReduce, "2,3", 0, 8, {.axis = "tp"}));
  note(std::nanf(""));
  recorder_.meta("hosted", "0-3");
  std::int64_t ofLast = 32;
  journal_.setPartLookup([&](EventId id, int rank) -> std::optional<EventPart> {
    if (id == waited && rank == 1) return std::nullopt;
    return EventPart{.duration = id == waited ? Event::kRunning : 1,
                     .bytes = id == unequal && rank == 3 ? ofLast : 48};
  });
  EXPECT_THAT(sentences("unequal-sizes"), ::testing::SizeIs(1));
  EXPECT_EQ(found("not-a-number").front().times, 1U);  // the first one
  EXPECT_THAT(sentences("rank-that-waits"), IsEmpty());
  ofLast = 48;
  EXPECT_EQ(found("not-a-number").front().times, 2U);
  EXPECT_THAT(sentences("rank-that-waits"), ::testing::SizeIs(1));
}

TEST_F(ProblemsTest, DTensorGathersPartsOfOneSize) {
  recorder_.meta("backend", "DTensor of torch 2.15.0");
  recorder_.meta("hosted", "0-3");
  const auto gather = [this](int meshDim) {
    recorder_.note(makeCollective(recorder_, CollectiveKind::AllGather, "0,1|2,3", meshDim, 8,
                                  {.axis = meshDim < 0 ? "" : "tp"}));
  };
  gather(-1);  // of the program, whose parts may differ
  gather(1);
  journal_.setPartLookup([](EventId, int rank) -> std::optional<EventPart> {
    return EventPart{.bytes = rank == 1 ? 216 : 144};
  });
  EXPECT_THAT(sentences("unequal-sizes"),
              ElementsAre("all_gather over tp: rank 0 sent 144 B, rank 1 216 B"));
}

// Ranks 2 and 3 call one collective at two lines; then a launcher kills rank 0, for which rank 1
// waits.
TEST_F(ProblemsTest, AMismatchOfOneKindNamesThePlacesAndExplainsTheWaits) {
  const auto call = [&](const char* ranks, int line, int sequence) {
    recorder_.setSite({.file = "train.py", .line = line});
    Event event = makeCollective(recorder_, CollectiveKind::AllReduce, ranks, 1, 8, {}, ranks);
    event.sequence = sequence;
    return recorder_.note(event);
  };
  const EventId before = call("0,1", 3, 1), one = call("2,3", 9, 1);
  const EventId other = call("2,3", 7, 1), after = call("0,1", 3, 2);
  recorder_.meta("hosted", "0-3");
  journal_.setPartLookup([&](EventId id, int rank) -> std::optional<EventPart> {
    if (id == before) return rank < 2 ? std::optional(EventPart{.duration = 1}) : std::nullopt;
    const int caller = id == one ? 2 : id == other ? 3 : id == after ? 1 : -1;
    return rank == caller ? std::optional(EventPart{.duration = Event::kRunning}) : std::nullopt;
  });
  EXPECT_THAT(sentences("collective-mismatch"),
              ElementsAre("rank 3 called all_reduce at train.py:7 where the other ranks called "
                          "all_reduce at train.py:9"));
  EXPECT_THAT(found("collective-mismatch").front().advice, HasSubstr("; rank 2 waits for rank 3"));
  EXPECT_THAT(sentences("rank-that-waits"), IsEmpty());
}

// Rank 3 skips the all_reduce of a gradient in a loop and calls the next one.
TEST_F(ProblemsTest, AMismatchAtOneLineNamesTheBytesOfARank) {
  recorder_.setSite({.file = "train.py", .line = 9});
  const auto call = [&] {
    Event event = makeCollective(recorder_, CollectiveKind::AllReduce, "2,3", 1, 8, {}, "2,3");
    event.sequence = 1;
    return recorder_.note(event);
  };
  const EventId one = call(), other = call();
  recorder_.meta("hosted", "0-3");
  std::int64_t ofNext = 140;
  journal_.setPartLookup([&](EventId id, int rank) -> std::optional<EventPart> {
    if (rank != (id == one ? 2 : id == other ? 3 : -1)) return std::nullopt;
    return EventPart{.duration = Event::kRunning, .bytes = id == one ? 12 : ofNext};
  });
  EXPECT_THAT(sentences("collective-mismatch"),
              ElementsAre("rank 3 called all_reduce of 140 B at train.py:9 where the other ranks "
                          "called all_reduce of 12 B at train.py:9"));
  ofNext = 12;
  EXPECT_THAT(sentences("collective-mismatch"),
              ElementsAre("rank 3 called all_reduce at train.py:9 where the other ranks called "
                          "all_reduce at train.py:9"));
}

// Ranks 0 and 1 call one collective, rank 2 another one and rank 3 a third one.
TEST_F(ProblemsTest, AMismatchOfThreeCallsNamesTheRanksOfEach) {
  const auto call = [&](CollectiveKind kind) {
    Event event = makeCollective(recorder_, kind, "0-3", 0, 8, {.axis = "tp"}, "0-3");
    event.sequence = 1;
    return recorder_.note(event);
  };
  const EventId ofTwo = call(CollectiveKind::AllReduce);
  const EventId ofRank2 = call(CollectiveKind::AllGather);
  const EventId ofRank3 = call(CollectiveKind::Broadcast);
  recorder_.meta("hosted", "0-3");
  journal_.setPartLookup([&](EventId id, int rank) -> std::optional<EventPart> {
    const EventId called = rank < 2 ? ofTwo : rank == 2 ? ofRank2 : ofRank3;
    return id == called ? std::optional(EventPart{.duration = Event::kRunning}) : std::nullopt;
  });
  EXPECT_THAT(sentences("collective-mismatch"),
              ElementsAre("rank 2 called all_gather where ranks 0, 1 called all_reduce over tp"));
  EXPECT_THAT(found("collective-mismatch").front().advice,
              HasSubstr("; ranks 0, 1 wait for ranks 2, 3"));
}

}  // namespace
}  // namespace shardlens
