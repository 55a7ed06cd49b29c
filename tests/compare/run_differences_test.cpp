#include "core/compare/run_differences.h"

#include "core/trace/recorder/event_makers.h"
#include "tests/trace/named_event.h"
#include "tests/trace/sample_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Records a program on four ranks. Each call appends one step.
class RunBuilder {
 public:
  RunBuilder() {
    recorder_.addSink(journal_);
    recorder_.setCapture(CaptureLevel::All);
    recorder_.meta("mesh", "4:tp");
    recorder_.setRanks("0-3");
  }

  struct Made {
    std::string name;
    Placements placements = {Shard{0}};
    std::vector<float> onRank0 = {1, 2};
  };
  RunBuilder& step(const std::string& text, const std::vector<Made>& made) {
    const Span step(recorder_, makeStep(recorder_, text));
    for (const Made& one : made) {
      const TensorId id = recorder_.addTensor(one.name, {DType::Float32, {8}, one.placements});
      recorder_.note(makeResult(recorder_, one.name, id, 8, 0));
      recordValue(recorder_, valueOf(id, 0, {2}, one.onRank0));
    }
    return *this;
  }
  // A step of a Python program. Each of its operators creates a tensor.
  RunBuilder& run(const std::vector<Made>& operators) {
    const Span step(recorder_, makeStep(recorder_, "step 0"));
    for (const Made& one : operators) {
      const Span op(recorder_, makeOperator(recorder_, "aten." + one.name));
      const TensorId id = recorder_.addTensor(one.name, {DType::Float32, {8}, one.placements});
      recorder_.note(makeResult(recorder_, one.name, id, 8, 0));
      recordValue(recorder_, valueOf(id, 0, {2}, one.onRank0));
    }
    return *this;
  }
  RunBuilder& moving(const std::string& text, const char* change, std::int64_t bytes) {
    const Span step(recorder_, makeStep(recorder_, text));
    const TensorId source = recorder_.addTensor("x", {DType::Float32, {8}, {Shard{0}}});
    const Span move(recorder_,
                    makeRedistribute(routeIn(recorder_, change), source, Verdict::Implicit));
    recorder_.note(makePlan(recorder_, routeIn(recorder_, change), 1, bytes, std::nullopt));
    recorder_.note(
        makeCollective(recorder_, CollectiveKind::AllGather, "0-3", 0, bytes, {.axis = "tp"}));
    return *this;
  }
  // A step of a Python program. Operators with a nonempty message are refused; the program catches
  // the error and continues.
  RunBuilder& caught(const std::vector<const char*>& messages) {
    const Span step(recorder_, makeStep(recorder_, "step 0"));
    for (const char* message : messages) {
      const Span op(recorder_, makeOperator(recorder_, "aten.view"));
      if (*message != '\0') recorder_.note(makeError(recorder_, message));
    }
    return *this;
  }
  RunBuilder& refused(const std::string& text, const char* message) {
    const Span step(recorder_, makeStep(recorder_, text));
    recorder_.note(makeError(recorder_, message));
    return *this;
  }
  RunBuilder& meta(const char* key, const char* value) {
    recorder_.meta(key, value);
    return *this;
  }
  const Journal& journal() const { return journal_; }

 private:
  Recorder recorder_;
  Journal journal_;
};

std::vector<std::string> differences(const RunBuilder& left, const RunBuilder& right,
                                     const std::optional<Tolerance>& tolerance = {}) {
  std::vector<std::string> all;
  const auto steps = pairSteps(left.journal(), right.journal());
  compareRuns(
      left.journal(), right.journal(), steps, pairEvents(left.journal(), right.journal(), steps),
      [&](const RunDifference& difference) {
        all.push_back(std::string(nameOf(difference.in)) + ": " + difference.sentence);
      },
      {}, tolerance);
  return all;
}

TEST(RunDifferences, OfARunAndItselfThereAreNone) {
  RunBuilder run;
  run.step("x = tensor([8], S(0))", {{"x"}}).moving("y = aten.sum(x)", "S(0) -> R", 32);
  EXPECT_THAT(differences(run, run), IsEmpty());
  EXPECT_THAT(differences(RunBuilder(), RunBuilder()), IsEmpty());
}

TEST(RunDifferences, NameAStepThatOnlyOneHas) {
  RunBuilder left, right;
  left.step("x = tensor([8])", {{"x"}}).step("y = aten.relu(x)", {{"y"}});
  right.step("x = tensor([8])", {{"x"}})
      .step("z = aten.mul(x, 2)", {{"z"}})
      .step("y = aten.relu(x)", {{"y"}});
  EXPECT_THAT(differences(left, right), ElementsAre("program: only in B: z = aten.mul(x, 2)"));
  EXPECT_THAT(differences(right, left), ElementsAre("program: only in A: z = aten.mul(x, 2)"));
}

TEST(RunDifferences, AreNotThatATensorHasAnotherName) {
  RunBuilder left, right;
  left.step("x = tensor([8])", {{"x"}}).step("y = aten.relu(x)", {{"y"}});
  right.step("in = tensor([8])", {{"in"}}).step("y = aten.relu(in)", {{"y"}});
  EXPECT_THAT(differences(left, right), IsEmpty());

  RunBuilder other;
  other.step("in = tensor([8])", {{"in"}}).step("y = aten.relu(in, 1)", {{"y"}});
  EXPECT_THAT(differences(left, other),
              ElementsAre("program: y = aten.relu(x) in A, y = aten.relu(in, 1) in B"));
}

TEST(RunDifferences, OfPlacementsComeInsteadOfThoseOfValues) {
  RunBuilder left, right;
  left.step("x = f()", {{"x", {Shard{0}}}});
  right.step("x = f()", {{"x", {Replicate{}}, {5, 6}}});
  EXPECT_THAT(differences(left, right),
              ElementsAre("placements: x: f32[8] S(0) in A, f32[8] R in B"));
}

TEST(RunDifferences, OfValuesNameTheLargestElement) {
  RunBuilder left, right, close;
  left.step("x = f()", {{"x", {Shard{0}}, {1, 2}}});
  right.step("x = f()", {{"x", {Shard{0}}, {1.5, 4}}});
  close.step("x = f()", {{"x", {Shard{0}}, {1.00001F, 2}}});
  EXPECT_THAT(differences(left, right), ElementsAre("values: x on rank 0 at [1]: 2 and 4"));
  EXPECT_THAT(differences(left, close), IsEmpty());
}

TEST(RunDifferences, OfValuesObserveAnotherTolerance) {
  RunBuilder left, right;
  left.step("x = f()", {{"x", {Shard{0}}, {1, 2}}});
  right.step("x = f()", {{"x", {Shard{0}}, {1, 2.001F}}});
  EXPECT_THAT(differences(left, right), ElementsAre("values: x on rank 0 at [1]: 2 and 2.001"));
  EXPECT_THAT(differences(left, right, Tolerance{1e-3, 1e-3}), IsEmpty());
  RunBuilder close;
  close.step("x = f()", {{"x", {Shard{0}}, {1.00001F, 2}}});
  EXPECT_THAT(differences(left, close, Tolerance{}),
              ElementsAre("values: x on rank 0 at [0]: 1 and 1.00001"));
}

TEST(RunDifferences, OfValuesThatAreNotNumbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  RunBuilder left, right;
  left.step("x = f()", {{"x", {Shard{0}}, {nan, 2}}});
  right.step("x = f()", {{"x", {Shard{0}}, {1, 900}}});
  EXPECT_THAT(differences(left, left), IsEmpty());
  EXPECT_THAT(differences(left, right), ElementsAre("values: x on rank 0 at [0]: nan and 1"));
}

TEST(RunDifferences, AreOfOperatorsThatBothHave) {
  RunBuilder left, right;
  left.run({{"mm"}, {"relu"}, {"sum", {Replicate{}}}});
  right.run({{"mm"}, {"detach", {Replicate{}}}, {"neg"}, {"relu", {Shard{0}}, {1, 3}}, {"sum"}});
  EXPECT_THAT(differences(left, right),
              ElementsAre("program: only in B: aten.detach and 1 more operator",
                          "values: relu on rank 0 at [1]: 2 and 3",
                          "placements: sum: f32[8] R in A, f32[8] S(0) in B"));
  EXPECT_THAT(differences(right, left),
              ElementsAre("program: only in A: aten.detach and 1 more operator",
                          "values: relu on rank 0 at [1]: 3 and 2",
                          "placements: sum: f32[8] S(0) in A, f32[8] R in B"));
}

TEST(RunDifferences, AreNotOfRowsThatAMaskTakesAway) {
  const Placements masked{MaskPartial{}};
  RunBuilder left, right, fused;
  left.meta("masking", "fused").step("y = f()", {{"y", masked, {1, 0}}});
  right.meta("masking", "stepwise").step("y = f()", {{"y", masked, {1, 2}}});
  fused.meta("masking", "fused").step("y = f()", {{"y", masked, {1, 2}}});
  EXPECT_THAT(differences(left, right),
              ElementsAre("settings: masking: fused in A, stepwise in B"));
  EXPECT_THAT(differences(left, fused), ElementsAre("values: y on rank 0 at [1]: 0 and 2"));
}

TEST(RunDifferences, OfMovesPlansAndCollectives) {
  RunBuilder left, right, none;
  left.moving("y = f(x)", "S(0) -> R", 32);
  right.moving("y = f(x)", "S(0) -> R", 64);
  none.step("y = f(x)", {});
  EXPECT_THAT(differences(left, right),
              ElementsAre("plans: plan S(0) -> R in 1 step, each rank receives 32 B in A, plan "
                          "S(0) -> R in 1 step, each rank receives 64 B in B",
                          "collectives: all_gather of ranks 0-3 (32 B) in A, all_gather "
                          "of ranks 0-3 (64 B) in B"));
  EXPECT_THAT(differences(none, left),
              ElementsAre("plans: none in A, implicit redistribution of x: S(0) -> R in B",
                          "plans: none in A, plan S(0) -> R in 1 step, each rank receives 32 B "
                          "in B",
                          "collectives: none in A, all_gather of ranks 0-3 (32 B) in B"));
}

TEST(RunDifferences, OfEachRefusalThatAProgramCaught) {
  RunBuilder left, right;
  left.caught({"no such rule", "", "bad shape", "same"});
  right.caught({"no such rule", "not here", "wrong shape", "same"});
  EXPECT_THAT(differences(left, right),
              ElementsAre("program: refused (bad shape) in A, refused (wrong shape) in B",
                          "program: not refused in A, refused (not here) in B"));
  EXPECT_THAT(differences(right, left),
              ElementsAre("program: refused (not here) in A, not refused in B",
                          "program: refused (wrong shape) in A, refused (bad shape) in B"));
}

TEST(RunDifferences, OfARefusalAndOfSettings) {
  RunBuilder left, right;
  left.meta("masking", "fused").step("x = f()", {{"x"}});
  right.meta("masking", "stepwise").refused("x = f()", "no such rule");
  EXPECT_THAT(differences(left, right),
              ElementsAre("settings: masking: fused in A, stepwise in B",
                          "program: not refused in A, refused (no such rule) in B"));
}

TEST(RunDifferences, SayWhatCannotBeCompared) {
  RunBuilder values, plain, operators;
  values.run({{"y"}});
  plain.moving("step 0", "S(0) -> R", 32);
  operators.caught({""});
  EXPECT_EQ(omittedText(values.journal(), values.journal()), "");
  EXPECT_EQ(omittedText(plain.journal(), plain.journal()), "only collectives were compared");
  EXPECT_EQ(omittedText(values.journal(), plain.journal()), "values were not compared: B has none");
  EXPECT_EQ(omittedText(operators.journal(), plain.journal()),
            "values were not compared: neither recording has any");
}

}  // namespace
}  // namespace shardlens
