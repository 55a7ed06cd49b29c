// Tests the rule for replicated elements that differ between ranks.
#include "core/query/problems/problems.h"
#include "core/trace/recorder/event_makers.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>

#include <array>
#include <limits>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CopiesTest : public ::testing::Test {
 protected:
  CopiesTest() {
    recorder_.addSink(journal_);
    recorder_.setCapture(CaptureLevel::All);
    recorder_.meta("mesh", "4:tp");
  }
  TensorId tensor(const char* name, Shape shape, Placements placements = {Shard{0}}) {
    return recorder_.addTensor(name, {DType::Float32, std::move(shape), std::move(placements)});
  }
  EventId result(TensorId id) {
    return recorder_.note(makeResult(recorder_, journal_.tensor(id).name, id, 0, 0));
  }
  // Records a tensor that is replicated in each pair of a mesh of 2x2, with an element a rank.
  void recordPairs(const char* name, const std::vector<float>& ranks) {
    const TensorId id = tensor(name, {1}, {Shard{0}, Replicate{}});
    result(id);
    for (int rank = 0; rank < 4; ++rank) {
      recordValue(recorder_,
                  valueOf<float>(id, rank, {1}, {ranks[static_cast<std::size_t>(rank)]}));
    }
  }
  std::vector<Problem> found() const {
    auto all = findProblems(journal_);
    std::erase_if(all, [](const Problem& problem) { return problem.rule != "copies-differ"; });
    return all;
  }
  std::vector<std::string> sentences() const {
    std::vector<std::string> all;
    for (const auto& problem : found()) all.push_back(problem.sentence);
    return all;
  }

  Recorder recorder_;
  Journal journal_;
};

// Of an event that rank 3 took part in, or may take part in later, but whose value it has not
// written yet. Once it has ended a later event, its older value counts; a collective in which it is
// stopped is later only in the order of the other ranks.
TEST_F(CopiesTest, AreNotComparedWithAnOlderValueOfARankThatRan) {
  const TensorId x = tensor("x", {1}, {Replicate{}});
  const auto record = [&](int ranks, float value) {
    result(x);
    for (int rank = 0; rank < ranks; ++rank) {
      recordValue(recorder_, valueOf<float>(x, rank, {1}, {value}));
    }
  };
  record(4, 1);
  record(3, 2);
  bool hasRun = true, isStopped = true;
  journal_.setPartLookup([&](EventId id, int rank) -> std::optional<EventPart> {
    if (id == 2 && rank == 3 && !hasRun) return std::nullopt;
    const bool isOpen = id == 3 && rank == 3 && isStopped;
    return EventPart{.duration = isOpen ? Event::kRunning : 1};
  });
  EXPECT_THAT(sentences(), IsEmpty());
  hasRun = false;
  EXPECT_THAT(sentences(), IsEmpty());
  result(tensor("y", {1}, {Replicate{}}));
  EXPECT_THAT(sentences(), IsEmpty());
  isStopped = false;
  EXPECT_THAT(sentences(), ElementsAre("copies of x differ: 1 on rank 3 at [0], 2 on rank 0"));
}

// Rank 1 calls the line of x once more. Which of its calls is the additional one is unknown.
TEST_F(CopiesTest, AreNotComparedWhereARankCallsALineOnceMore) {
  const auto record = [&](const char* name, int line, const std::vector<float>& ranks) {
    const TensorId id = tensor(name, {1}, {Replicate{}});
    recorder_.setSite({.file = "train.py", .line = line});
    result(id);
    for (int rank = 0; rank < static_cast<int>(ranks.size()); ++rank) {
      recordValue(recorder_,
                  valueOf<float>(id, rank, {1}, {ranks[static_cast<std::size_t>(rank)]}));
    }
  };
  record("from_local", 7, {1, 9, 1, 1});
  record("from_local", 7, {2, 2, 2, 2});  // of rank 1 alone
  record("from_local", 8, {0, 0, 0, 0});
  record("end", 9, {0, 0, 0, 0});
  EventId alone = 2;
  bool hasEnded = false;  // rank 0 has ended after the first event
  journal_.setPartLookup([&](EventId id, int rank) -> std::optional<EventPart> {
    const bool isAbsent = (id == alone && rank != 1) || (hasEnded && id > 1 && rank != 1);
    return isAbsent ? std::nullopt : std::optional(EventPart{.duration = 1});
  });
  const auto reported = ElementsAre("copies of from_local differ: 9 on rank 1 at [0], 1 on rank 0");
  EXPECT_THAT(sentences(), IsEmpty());
  hasEnded = true;
  EXPECT_THAT(sentences(), reported) << "the remaining ranks did not continue";
  hasEnded = false;
  alone = 0;
  EXPECT_THAT(sentences(), reported) << "all ranks call it twice";
  alone = 3;
  EXPECT_THAT(sentences(), reported) << "another line";
}

TEST_F(CopiesTest, AreComparedWithinEachReplicaOfASubmesh) {
  const auto row = [](int first) {
    return DeviceMesh::make({2}, {"tp"}, {first, first + 1}).value();
  };
  const TensorId x = recorder_.addTensor(
      "x",
      {DType::Float32, {1}, {Replicate{}}, shared(DeviceMesh::united({row(0), row(2)}).value())});
  const auto record = [&](const std::vector<float>& ranks) {
    result(x);
    for (int rank = 0; rank < 4; ++rank) {
      recordValue(recorder_, valueOf<float>(x, rank, {1}, {ranks[static_cast<std::size_t>(rank)]}));
    }
  };
  record({1, 1, 2, 2});  // the replicas run on other data
  EXPECT_THAT(found(), IsEmpty());
  record({1, 1, 2, 3});
  EXPECT_THAT(sentences(), ElementsAre("copies of x differ: 3 on rank 3 at [0], 2 on rank 2"));
}

// As Module.to_empty() allocates parameters, which the program then fills.
TEST_F(CopiesTest, OfMemoryThatIsNotWrittenAreNotCompared) {
  const auto call = [&](const char* name, TensorId id, const std::vector<TensorId>& inputs,
                        float one, float other) {
    const Span span(recorder_, makeOperator(recorder_, name), inputs);
    result(id);
    recordValue(recorder_, valueOf<float>(id, 0, {1}, {one}));
    recordValue(recorder_, valueOf<float>(id, 1, {1}, {other}));
  };
  const TensorId old = tensor("old", {1}, {Replicate{}});
  const TensorId x = tensor("x", {1}, {Replicate{}});
  const TensorId view = tensor("view", {1}, {Replicate{}});
  call("aten.empty_like", x, {old}, 1, 2);
  call("aten.detach", view, {x}, 1, 2);
  EXPECT_THAT(found(), IsEmpty());
  call("aten.fill_", x, {x}, 3, 3);
  EXPECT_THAT(found(), IsEmpty());
  call("aten.add_", x, {x}, 3, 4);
  EXPECT_THAT(sentences(), ElementsAre("copies of x differ: 4 on rank 1 at [0], 3 on rank 0"));
}

// As in the drawing of the shards, the index is that in the whole tensor.
TEST_F(CopiesTest, AreDescribedByTheIndexInTheGlobalTensor) {
  recorder_.meta("mesh", "2x2:dp,tp");
  const TensorId b = tensor("b", {9}, {Replicate{}, Shard{0}});
  result(b);
  const std::vector<std::vector<float>> ranks = {
      {1, 2, 3, 4, 5}, {6, 7, 8, 9}, {1, 2, 3, 4, 5}, {6, 7, 8, 10}};
  for (int rank = 0; rank < 4; ++rank) {
    const auto& has = ranks[static_cast<std::size_t>(rank)];
    recordValue(recorder_, valueOf<float>(b, rank, {static_cast<std::int64_t>(has.size())}, has));
  }
  EXPECT_THAT(sentences(), ElementsAre("copies of b differ: 10 on rank 3 at [8], 9 on rank 1"));
}

TEST_F(CopiesTest, AreAProblemWhereTheyFirstDiffer) {
  const auto record = [&](TensorId id, const std::vector<std::vector<float>>& ranks) {
    result(id);
    for (int rank = 0; rank < static_cast<int>(ranks.size()); ++rank) {
      const auto& has = ranks[static_cast<std::size_t>(rank)];
      recordValue(recorder_,
                  valueOf<float>(id, rank, {static_cast<std::int64_t>(has.size())}, has));
    }
  };
  const auto whole = [&](const char* name) { return tensor(name, {2}, {Replicate{}}); };
  const TensorId x = whole("x"), w = whole("w"), y = whole("y"), s = tensor("s", {8});
  record(x, {{1, 2}, {1, 2}, {1, 2}, {1, 2}});
  record(s, {{1, 2}, {3, 4}, {5, 6}, {7, 8}});  // sharded: there are no copies
  record(w, {{1, 2}, {1, 2}, {1, 9}, {1, 2}});
  {
    const auto inputs = std::to_array({x, w});
    const Span op(recorder_, makeOperator(recorder_, "aten.mul"), inputs);
    record(y, {{1, 4}, {1, 4}, {1, 18}, {1, 4}});
  }
  const TensorId v = whole("v");
  record(v, {{2, 1}, {1, 2}});  // ranks 2 and 3 have no values
  const auto problems = found();
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].sentence, "copies of w differ: 9 on rank 2 at [1], 2 on rank 0");
  EXPECT_THAT(problems[0].advice, HasSubstr("on rank 2"));
  EXPECT_EQ(problems[0].severity, Problem::Severity::Error);
  EXPECT_THAT(problems[0].events, ElementsAre(3));
  EXPECT_EQ(problems[1].sentence, "copies of v differ: 1 on rank 1 at [0], 2 on rank 0");
}

// Two ranks write a buffer in step 1.
class StaleBuffer : public CopiesTest {
 protected:
  StaleBuffer() {
    recorder_.meta("mesh", "2:tp");
    recorder_.meta("path", "/job/train.py");
    at("/job/train.py", 9, 0);
    record(scale_, {1, 1});
  }
  void at(const char* file, int line, int step) {
    recorder_.setSite({.file = file, .line = line});
    recorder_.setStep(step, line);
  }
  void record(TensorId id, std::vector<float> ranks) {
    result(id);
    for (int rank = 0; rank < static_cast<int>(ranks.size()); ++rank) {
      const std::vector<float> value{ranks[static_cast<std::size_t>(rank)]};
      recordValue(recorder_, valueOf<float>(id, rank, {1}, value));
    }
  }
  // Returns the advice of the only problem, from the first semicolon on.
  std::string writes() const {
    const auto problems = found();
    if (problems.size() != 1) return std::to_string(problems.size()) + " problems";
    return problems[0].advice.substr(problems[0].advice.find(';'));
  }

  TensorId scale_ = tensor("scale", {1}, {Replicate{}});
};

TEST_F(StaleBuffer, NamesTheWritesOfBothRanks) {
  at("/job/train.py", 22, 1);
  record(scale_, {2});
  EXPECT_EQ(writes(),
            "; scale was last written by event 1 (train.py:9, step 1) on rank 1, by event 2 "
            "(train.py:22, step 2) on rank 0");
}

// A plain tensor wrote to the buffer, which is not recorded.
TEST_F(StaleBuffer, NamesTheLastWriteThatIsKnown) {
  const TensorId y = tensor("y", {1}, {Replicate{}});
  at("/job/model.py", 5, 1);
  const auto inputs = std::to_array({scale_});
  const Span op(recorder_, makeOperator(recorder_, "aten.mul"), inputs);
  record(y, {2, 1});
  EXPECT_EQ(writes(), "; scale was last written by event 1 (train.py:9, step 1)");
}

// Replicas that plain tensors made, of two pairs of ranks.
TEST_F(CopiesTest, ThatFollowFromOthersAreNoFurtherProblem) {
  recorder_.meta("mesh", "2x2:dp,tp");
  const auto send = [&](const char* ranks, const char* group) {
    recorder_.note(makeCollective(recorder_, CollectiveKind::AllReduce, ranks, -1, 8, {}, group));
  };
  recordPairs("x", {1, 1, 2, 3});  // ranks 2 and 3 differ
  recordPairs("y", {1, 1, 3, 4});  // made of x, perhaps
  EXPECT_THAT(sentences(), ElementsAre("copies of x differ: 3 on rank 3 at [0], 2 on rank 2"));
  send("0,1|2,3", "0,1");
  recordPairs("z", {1, 2, 3, 3});  // rank 1 has received nothing of them
  EXPECT_EQ(found().size(), 2U);
  send("1,3", "1,3");
  recordPairs("w", {1, 2, 3, 3});
  EXPECT_EQ(found().size(), 2U);
}

TEST_F(CopiesTest, ThatSendsHaveReachedFollow) {
  recorder_.meta("mesh", "2x2:dp,tp");
  recordPairs("x", {1, 1, 2, 3});
  Event send = makeCollective(recorder_, CollectiveKind::Other, "3", -1, 8, {}, "3->1 tag 0");
  send.name = recorder_.intern("send 3->1");
  recorder_.note(send);
  recordPairs("y", {1, 2, 3, 3});
  EXPECT_EQ(sentences().size(), 1U);
}

TEST_F(CopiesTest, OfAPieceAreThoseOfItsRanksAlone) {
  recorder_.meta("mesh", "2x2:dp,tp");
  const TensorId w = tensor("w", {4}, {Replicate{}, Shard{0}});
  const auto record = [&](std::vector<float> last) {
    result(w);
    for (const int rank : {0, 1, 2, 3}) {
      const std::vector<float> even{1, 2}, odd{3, 4};
      recordValue(recorder_, valueOf<float>(w, rank, {2},
                                            rank == 3   ? last
                                            : rank == 1 ? odd
                                                        : even));
    }
  };
  record({3, 4});
  EXPECT_THAT(found(), IsEmpty());
  record({4, 3});  // has the same statistics
  EXPECT_THAT(sentences(), ElementsAre("copies of w differ: 4 on rank 3 at [2], 3 on rank 1"));
}

TEST_F(CopiesTest, DifferInTheirHashesIfTheirStatisticsAreEqual) {
  recorder_.setCapture(CaptureLevel::Hashes);
  const TensorId w = tensor("w", {3}, {Replicate{}});
  result(w);
  recordValue(recorder_, valueOf<float>(w, 0, {3}, {1, 2, 3}));
  recordValue(recorder_, valueOf<float>(w, 1, {3}, {2, 1, 3}));
  EXPECT_THAT(sentences(),
              ElementsAre("copies of w differ: other hashes on rank 1 and rank 0 (record with "
                          "--values all to see elements)"));
}

TEST_F(CopiesTest, DifferInTheirStatisticsToo) {
  recorder_.setCapture(CaptureLevel::Statistics);
  const float inf = std::numeric_limits<float>::infinity();
  const TensorId w = tensor("w", {2}, {Replicate{}}), x = tensor("x", {2}, {Replicate{}});
  for (const TensorId id : {w, x}) {
    result(id);
    for (const int rank : {0, 1}) {  // x has both infinities: its mean is NaN
      const std::vector<float> has =
          id == x ? std::vector{-inf, inf} : std::vector{1.0F, 2.0F + rank};
      recordValue(recorder_, valueOf<float>(id, rank, {2}, has));
    }
  }
  EXPECT_THAT(
      sentences(),
      ElementsAre("copies of w differ: 1 to 3, mean 2 on rank 1, 1 to 2, mean 1.5 on rank 0"));
}

TEST_F(CopiesTest, AreDescribedWithAsManyDigitsAsTheyNeed) {
  recorder_.setCapture(CaptureLevel::Statistics);
  const TensorId x = tensor("x", {1}, {Replicate{}});
  result(x);
  recordValue(recorder_, valueOf<float>(x, 0, {1}, {0.33333334F}));
  recordValue(recorder_, valueOf<float>(x, 1, {1}, {0.33333331F}));
  EXPECT_THAT(sentences(),
              ElementsAre("copies of x differ: 0.3333333134651184 to 0.3333333134651184, mean "
                          "0.3333333134651184 on rank 1, 0.3333333432674408 to 0.3333333432674408, "
                          "mean 0.3333333432674408 on rank 0"));
}

}  // namespace
}  // namespace shardlens
