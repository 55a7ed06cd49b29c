// Tests the rules about NaN and infinities.
#include "tests/query/problems/problems_fixture.h"

#include <array>
#include <cmath>
#include <limits>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A job, whose program can also write to x without a recorded event: log is not said to produce it.
TEST_F(ProblemsTest, WhereNotANumberWasBorn) {
  const auto record = [&](TensorId id, float value) {
    result(id);
    recordValue(recorder_, valueOf<float>(id, 0, {1, 1}, {value}));
  };
  const TensorId x = tensor("x"), y = tensor("y"), z = tensor("z"), w = tensor("w");
  record(x, 1);
  {
    const Span op(recorder_, makeOperator(recorder_, "aten.log"), std::span(&x, 1));
    record(y, std::nanf(""));
  }
  {
    const Span op(recorder_, makeOperator(recorder_, "aten.mul"), std::span(&y, 1));
    record(z, std::nanf(""));
  }
  record(w, std::nanf(""));
  EXPECT_THAT(sentences("not-a-number"),
              ElementsAre("NaN after aten.log, whose recorded inputs have none: y on rank 0",
                          "w contains NaN on rank 0 when it is created"));
  EXPECT_EQ(found("not-a-number")[0].advice, "finite recorded inputs: x is 1 to 1 on rank 0");
  EXPECT_EQ(found("not-a-number")[1].advice,
            "no operator computed it: the data of the program has it");
}

// Records operators and redistributions of the engine whose results have values on ranks.
class FiniteProblemsTest : public ProblemsTest {
 protected:
  FiniteProblemsTest() { recorder_.meta("backend", "simulated"); }

  static constexpr float kInfinity = std::numeric_limits<float>::infinity();

  TensorId made(const char* name, float onZero, float onTwo, Placements placements = {Shard{0}}) {
    const TensorId id = tensor(name, {8, 4}, std::move(placements));
    result(id);
    recordValue(recorder_, valueOf<float>(id, 0, {1, 1}, {onZero}));
    recordValue(recorder_, valueOf<float>(id, 2, {1, 1}, {onTwo}));
    return id;
  }
  TensorId computed(const char* op, TensorId from, const char* name, float onZero, float onTwo,
                    Placements placements = {Shard{0}}) {
    const Span call(recorder_, makeOperator(recorder_, op), std::span(&from, 1));
    return made(name, onZero, onTwo, std::move(placements));
  }
};

// log makes -inf on rank 2, which a redistribution moves to rank 0 and mul turns into NaN there.
TEST_F(FiniteProblemsTest, NanIsTracedToTheOperatorThatMadeTheInfinity) {
  const TensorId x = made("x", 1, 0);
  const TensorId l = computed("aten.log", x, "l", 0, -kInfinity);
  TensorId moved = 0;
  {
    const Span move(recorder_,
                    makeRedistribute(routeIn(recorder_, "S(0) -> R"), l, Verdict::Explicit));
    moved = made("moved", -kInfinity, -kInfinity);
  }
  const TensorId p = computed("aten.mul", moved, "p", std::nanf(""), std::nanf(""));
  {
    const Span move(recorder_,
                    makeRedistribute(routeIn(recorder_, "S(0) -> R"), p, Verdict::Explicit));
    made("r", std::nanf(""), std::nanf(""));
  }
  EXPECT_THAT(sentences("infinity"), ElementsAre("aten.log produces -inf: l on rank 2"));
  EXPECT_EQ(found("infinity")[0].advice, "NaN follows in p (event 7)");
  EXPECT_EQ(found("infinity")[0].severity, Severity::Error);
  EXPECT_THAT(sentences("not-a-number"), ElementsAre("aten.mul produces NaN: p on ranks 0, 2"));
  EXPECT_EQ(found("not-a-number")[0].advice,
            "it follows from -inf in l on rank 2, which aten.log produces (event 3)");
}

TEST_F(FiniteProblemsTest, NameAllRanks) {
  const TensorId l = computed("aten.log", made("x", 0, 0), "l", -kInfinity, -kInfinity);
  recordValue(recorder_, valueOf<float>(l, 1, {1, 1}, {-kInfinity}));
  const TensorId p = computed("aten.mul", l, "p", std::nanf(""), std::nanf(""));
  recordValue(recorder_, valueOf<float>(p, 1, {1, 1}, {std::nanf("")}));
  EXPECT_THAT(sentences("infinity"), ElementsAre("aten.log produces -inf: l on ranks 0–2"));
  EXPECT_THAT(sentences("not-a-number"), ElementsAre("aten.mul produces NaN: p on ranks 0–2"));
  EXPECT_THAT(found("not-a-number")[0].advice,
              HasSubstr("it follows from -inf in l on ranks 0–2, which aten.log produces"));
}

TEST_F(FiniteProblemsTest, AnInfinityThatNoNanFollowsIsAWarning) {
  computed("aten.div", made("x", 1, 0), "q", kInfinity, 1);
  EXPECT_THAT(sentences("infinity"), ElementsAre("aten.div produces inf: q on rank 0"));
  EXPECT_EQ(found("infinity")[0].severity, Severity::Warning);
}

// An attention mask is filled with -inf, and the maximum of no elements is -inf.
TEST_F(FiniteProblemsTest, NotInfinitiesThatTheProgramGives) {
  const TensorId mask = computed("aten.masked_fill.Scalar", made("x", 1, 0), "mask", 0, -kInfinity);
  computed("aten.add", mask, "scores", 0, -kInfinity);
  computed("aten.amax", made("y", 1, 2), "most", 1, -kInfinity, {Partial{ReduceOp::Max}});
  EXPECT_THAT(sentences("infinity"), IsEmpty());
  computed("aten.sub", mask, "odd", 0, std::nanf(""));
  EXPECT_EQ(found("not-a-number")[0].advice,
            "it follows from -inf in mask on rank 2, which the program gives (event 3)");
}

// A sum of float16 overflows on rank 0, and mul turns the infinity into NaN.
TEST_F(FiniteProblemsTest, ARedistributionThatMakesAnInfinityIsNamed) {
  const TensorId p = computed("aten.mm", made("x", 1, 1), "p", 60000, 60000, {Partial{}});
  TensorId moved = 0;
  {
    const Span move(recorder_,
                    makeRedistribute(routeIn(recorder_, "P(sum) -> R"), p, Verdict::Explicit));
    moved = made("moved", kInfinity, 1, {Replicate{}});
  }
  computed("aten.mul", moved, "q", std::nanf(""), 1);
  EXPECT_THAT(sentences("infinity"),
              ElementsAre("the redistribution of p produces inf: moved on rank 0"));
  EXPECT_THAT(sentences("not-a-number"), ElementsAre("aten.mul produces NaN: q on rank 0"));
  EXPECT_THAT(found("not-a-number")[0].advice,
              HasSubstr("it follows from inf in moved on rank 0, which the redistribution of p "
                        "produces (event "));
}

TEST_F(FiniteProblemsTest, ARedistributionThatMakesNanIsNamed) {
  const TensorId p = made("p", 1, 2, {Partial{}});
  {
    const Span move(recorder_,
                    makeRedistribute(routeIn(recorder_, "P(sum) -> R"), p, Verdict::Explicit));
    made("r", std::nanf(""), std::nanf(""), {Replicate{}});
  }
  EXPECT_THAT(sentences("not-a-number"),
              ElementsAre("the redistribution of p produces NaN: r on ranks 0, 2"));
  EXPECT_EQ(found("not-a-number")[0].advice, "finite recorded inputs: p is 1 to 1 on rank 0");
}

// The values of a pending maximum stay the origin of the infinity that a redistribution moves.
TEST_F(FiniteProblemsTest, NotTheRedistributionOfAnInfinity) {
  const TensorId most = computed("aten.amax", made("y", 1, 2), "most", -kInfinity, -kInfinity,
                                 {Partial{ReduceOp::Max}});
  const Span move(recorder_,
                  makeRedistribute(routeIn(recorder_, "P(max) -> R"), most, Verdict::Explicit));
  made("moved", -kInfinity, -kInfinity, {Replicate{}});
  EXPECT_THAT(sentences("infinity"), IsEmpty());
}

// The values of x before sqrt_, which writes to x.
TEST_F(FiniteProblemsTest, AnOperatorInPlaceReadsTheValuesBeforeIt) {
  const TensorId x = made("x", -4, 1);
  {
    const Span call(recorder_, makeOperator(recorder_, "aten.sqrt_"), std::span(&x, 1));
    result(x);
    recordValue(recorder_, valueOf<float>(x, 0, {1, 1}, {std::nanf("")}));
    recordValue(recorder_, valueOf<float>(x, 2, {1, 1}, {1}));
  }
  ASSERT_EQ(found("not-a-number").size(), 1U);
  EXPECT_EQ(found("not-a-number")[0].advice, "finite recorded inputs: x is -4 to -4 on rank 0");
}

TEST_F(FiniteProblemsTest, WhatTheProgramGivesToAnOperator) {
  computed("aten.masked_fill.Scalar", made("x", 1, 0), "y", 0, std::nanf(""));
  EXPECT_THAT(sentences("not-a-number"),
              ElementsAre("aten.masked_fill.Scalar produces NaN: y on rank 2"));
  EXPECT_EQ(found("not-a-number")[0].advice, "the program gives it to this operator");
}

TEST_F(FiniteProblemsTest, NotTensorsThatAreNotWrittenYet) {
  const TensorId x = made("x", 1, 1);
  computed("aten.empty_like", x, "e", std::nanf(""), kInfinity);
  computed("aten.new_empty", x, "n", kInfinity, std::nanf(""));
  EXPECT_THAT(sentences("not-a-number"), IsEmpty());
  EXPECT_THAT(sentences("infinity"), IsEmpty());
}

TEST_F(FiniteProblemsTest, ComeFromMemoryThatIsReadBeforeItIsWritten) {
  const TensorId e = computed("aten.empty_like", made("x", 1, 1), "e", std::nanf(""), 1);
  const EventId allocation = journal_.size();
  const TensorId view = computed("aten.view", e, "v", std::nanf(""), 1);
  computed("aten.mul.Tensor", view, "y", std::nanf(""), 1);
  const auto problems = found("not-a-number");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].sentence,
            "aten.mul.Tensor reads uninitialised memory: y has NaN on rank 0, because e was not "
            "written");
  EXPECT_THAT(problems[0].events, ElementsAre(allocation));
}

TEST_F(FiniteProblemsTest, ComeFromMemoryThroughItsParts) {
  const TensorId e = computed("aten.empty_like", made("x", 1, 1), "e", std::nanf(""), 1);
  const TensorId part = computed("aten.split.Tensor", e, "p", std::nanf(""), 1);
  computed("aten.mul.Tensor", part, "y", std::nanf(""), 1);
  EXPECT_THAT(
      sentences("not-a-number"),
      ElementsAre("aten.mul.Tensor reads uninitialised memory: y has NaN on rank 0, because "
                  "e was not written"));
}

TEST_F(FiniteProblemsTest, DoNotComeFromMemoryThatWasWritten) {
  const TensorId e = computed("aten.empty_like", made("x", 1, 1), "e", std::nanf(""), 1);
  {
    const Span call(recorder_, makeOperator(recorder_, "aten.fill_"), std::span(&e, 1));
    result(e);
    recordValue(recorder_, valueOf<float>(e, 0, {1, 1}, {-1}));
  }
  computed("aten.log", e, "y", std::nanf(""), 1);
  EXPECT_THAT(sentences("not-a-number"), ElementsAre("aten.log produces NaN: y on rank 0"));
}

// nan_to_num_ makes x finite on all ranks, so a later NaN has another origin.
TEST_F(FiniteProblemsTest, ATensorThatBecomesFiniteAgainHasNoOrigin) {
  const TensorId x = computed("aten.log", made("w", -1, 1), "x", std::nanf(""), 0);
  const auto write = [&](const char* op, float onZero) {
    const Span call(recorder_, makeOperator(recorder_, op), std::span(&x, 1));
    result(x);
    recordValue(recorder_, valueOf<float>(x, 0, {1, 1}, {onZero}));
    recordValue(recorder_, valueOf<float>(x, 2, {1, 1}, {0}));
  };
  write("aten.nan_to_num_", -1);
  write("aten.sqrt_", std::nanf(""));
  EXPECT_THAT(sentences("not-a-number"), ElementsAre("aten.log produces NaN: x on rank 0",
                                                     "aten.sqrt_ produces NaN: x on rank 0"));
}

// The memory of a weight may be filled without a recorded write, as by a gather of shards.
TEST_F(FiniteProblemsTest, AViewDoesNotProduceThem) {
  const TensorId w = made("w", 1, 1);
  const TensorId t = tensor("t");
  {
    const Span op(recorder_, makeOperator(recorder_, "aten.t"), std::span(&w, 1));
    const EventId event = result(t);
    recordValue(recorder_, valueOf<float>(t, 2, {1, 1}, {std::nanf("")}));
    EXPECT_GT(event, 0U);
  }
  EXPECT_THAT(sentences("not-a-number"),
              ElementsAre("w contains NaN on rank 2 when aten.t reads it"));
  EXPECT_EQ(found("not-a-number").front().advice,
            "it was finite when it was last recorded (event 1): a write that is not recorded made "
            "it");
}

TEST_F(FiniteProblemsTest, AViewDoesNotOverflow) {
  const TensorId w = made("w", 1, 1);
  const TensorId t = tensor("t");
  {
    const Span op(recorder_, makeOperator(recorder_, "aten.t"), std::span(&w, 1));
    result(t);
    recordValue(recorder_, valueOf<float>(t, 2, {1, 1}, {kInfinity}));
  }
  EXPECT_THAT(sentences("infinity"), ElementsAre("w contains inf on rank 2 when aten.t reads it"));
  EXPECT_EQ(found("infinity").front().advice,
            "it was finite when it was last recorded (event 1): a write that is not recorded made "
            "it");
}

TEST_F(FiniteProblemsTest, AnInputWithoutAValueMayHaveThem) {
  const std::array inputs{made("moment", 1, 1), tensor("gradient")};
  {
    const Span op(recorder_, makeOperator(recorder_, "aten.lerp"), inputs);
    const TensorId next = tensor("next");
    result(next);
    recordValue(recorder_, valueOf<float>(next, 2, {1, 1}, {std::nanf("")}));
  }
  EXPECT_THAT(sentences("not-a-number"),
              ElementsAre("next contains NaN on rank 2 after aten.lerp, whose input gradient has "
                          "no recorded value"));
  EXPECT_EQ(found("not-a-number").front().advice,
            "finite recorded inputs: moment is 1 to 1 on rank 2");
}

}  // namespace
}  // namespace shardlens
