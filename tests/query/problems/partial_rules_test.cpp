// Tests the rule for partial values that the program reads as if they were the sum.
#include "core/query/problems/problems.h"
#include "core/trace/recorder/event_makers.h"

#include <gmock/gmock.h>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PartialReadTest : public ::testing::Test {
 protected:
  PartialReadTest() {
    recorder_.addSink(journal_);
    recorder_.meta("mesh", "2x2:dp,tp");
  }
  TensorId tensor(const char* name, Placements placements) {
    return recorder_.addTensor(name, {DType::Float32, {4}, std::move(placements)});
  }
  // Records a call that reads `input`. If `isReduced`, the call redistributes it to a sum first.
  EventId call(const char* op, TensorId input, bool isReduced = false) {
    const Span span(recorder_, makeOperator(recorder_, op), std::span(&input, 1));
    if (isReduced) {
      const Span move(recorder_,
                      makeRedistribute(recorder_, "P(sum) -> R", input, Verdict::Implicit));
    }
    return span.id();
  }
  std::vector<Problem> found() const {
    auto all = findProblems(journal_);
    std::erase_if(all, [](const Problem& problem) { return problem.rule != "partial-read"; });
    return all;
  }

  Recorder recorder_;
  Journal journal_;
};

TEST_F(PartialReadTest, AreAProblemWhereTheProgramReadsThem) {
  const TensorId y = tensor("y", {Shard{0}, Partial{}});
  const TensorId s = tensor("s", {Partial{ReduceOp::Max}, Replicate{}});
  const EventId first = call("to_local", y), again = call("to_local", y);
  const EventId item = call("aten._local_scalar_dense", s);
  const auto problems = found();
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(
      problems[0].sentence,
      "to_local() of y, which is S(0), P(sum): each rank continues with a separate partial value");
  EXPECT_EQ(problems[0].severity, Problem::Severity::Warning);
  EXPECT_THAT(problems[0].events, ElementsAre(first, again));
  EXPECT_THAT(problems[0].advice, HasSubstr("full_tensor()"));
  EXPECT_EQ(problems[1].sentence,
            "item() of s, which is P(max), R: each rank continues with a separate partial value");
  EXPECT_THAT(problems[1].events, ElementsAre(item));
}

TEST_F(PartialReadTest, AreNoneWithoutPartialsOrIfTheReaderReduces) {
  call("to_local", tensor("cut", {Shard{0}, Replicate{}}));
  const TensorId y = tensor("y", {Replicate{}, Partial{}});
  call("aten._local_scalar_dense", y, /*isReduced=*/true);
  call("aten.relu", y);
  EXPECT_THAT(found(), IsEmpty());
}

// A later call reduces the tensor, but not for the earlier one.
TEST_F(PartialReadTest, AreReadAlthoughTheyAreReducedLater) {
  const TensorId y = tensor("y", {Replicate{}, Partial{}});
  call("to_local", y);
  call("aten.mul.Tensor", y, /*isReduced=*/true);
  EXPECT_EQ(found().size(), 1U);
}

}  // namespace
}  // namespace shardlens
