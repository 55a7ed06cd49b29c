#include "core/ops/rule_registry.h"
#include "tests/inference/plain_run.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

// Records values of a tensor of two elements on both ranks.
void record(PlainRun& run, TensorId id, const std::vector<float>& first,
            const std::vector<float>& second) {
  for (const int rank : {0, 1}) {
    ValueRecord value;
    value.tensor = id;
    value.rank = rank;
    value.shape = {2};
    run.recorder.value(std::move(value), std::as_bytes(std::span(rank == 0 ? first : second)));
  }
}

constexpr auto kMm = R"({"args":{"self":{"tensor":0},"mat2":{"tensor":1}}})";
constexpr auto kGelu = R"({"args":{"self":{"tensor":0},"approximate":"none"},"pointwise":true})";

// A view as another dtype has another number of elements than its input.
TEST(InferredPlacements, EndAtAViewAsAnotherDtype) {
  PlainRun run;
  const auto x = run.tensor("x", {3, 4});
  run.allReduce(x);
  const auto bytes = run.call("aten.view.dtype", {x}, {3, 16}, R"({"args":{"self":{"tensor":0}}})");
  run.note("bytes", bytes, R"({"role":"output"})");
  EXPECT_EQ(run.placement("bytes"), "?");
}

// x is whole after the all_reduce; relu(x w) v is a partial sum, so that w and v are sharded.
TEST(InferredPlacements, FollowFromTheReduction) {
  PlainRun run;
  const auto x = run.tensor("x", {3, 4}), w = run.tensor("w", {4, 2}), v = run.tensor("v", {2, 4});
  run.allReduce(x);
  run.parameter("w", w);
  run.parameter("v", v);
  const auto y = run.call("aten.gelu", {run.call("aten.mm", {x, w}, {3, 2}, kMm)}, {3, 2}, kGelu);
  run.note("up", y, R"({"role":"output"})");
  const auto z = run.call("aten.mm", {y, v}, {3, 4}, kMm);
  run.allReduce(z);
  run.note("down", z, R"({"role":"output"})");
  EXPECT_EQ(run.placement("w"), "S(1)");
  EXPECT_EQ(run.placement("v"), "S(0)");
  EXPECT_EQ(run.placement("up"), "S(1)");
  EXPECT_EQ(run.placement("down"), "R");
}

// Without the second reduction w may be whole as well.
TEST(InferredPlacements, AreUnknownIfSeveralFit) {
  PlainRun run;
  const auto x = run.tensor("x", {3, 4}), w = run.tensor("w", {4, 2});
  run.allReduce(x);
  run.parameter("w", w);
  run.note("up", run.call("aten.gelu", {run.call("aten.mm", {x, w}, {3, 2}, kMm)}, {3, 2}, kGelu),
           R"({"role":"output"})");
  EXPECT_EQ(run.placement("w"), "?");
  EXPECT_EQ(run.placement("up"), "?");
}

// A rank with one sequence has a shard of the batch or of the sequence.
TEST(InferredPlacements, OfABatchOfOneAreUnknown) {
  constexpr auto kRows = R"({"args":{"self":{"tensor":0},"size":[4,3]}})";
  PlainRun run;
  const auto x = run.tensor("x", {1, 4, 3}), gradient = run.tensor("gradient", {4, 2});
  run.note("x", x, R"({"role":"output"})");
  const auto rows = run.call("aten.view", {x}, {4, 3}, kRows);
  run.note("rows", rows, R"({"role":"output"})");
  const auto columns = run.call("aten.t", {rows}, {3, 4}, R"({"args":{"self":{"tensor":0}}})");
  run.allReduce(run.call("aten.mm", {columns, gradient}, {3, 2}, kMm));
  EXPECT_EQ(run.placement("rows"), "S(0)");
  EXPECT_EQ(run.placement("x"), "?");
}

// A tensor that a step without operators has made may be a partial sum.
TEST(InferredPlacements, OfTensorsOfStepsWithoutOperatorsMayBePartial) {
  constexpr auto kView = R"({"args":{"self":{"tensor":0},"size":[12]}})";
  for (const bool hasGap : {false, true}) {
    PlainRun run;
    Event step = makeStep(run.recorder, "step 1");
    step.verdict = hasGap ? Verdict::Off : Verdict::None;
    run.recorder.note(step);
    const auto total = run.tensor("total", {3, 4});
    run.note("total", total, R"({"role":"output"})");
    run.allReduce(run.call("aten.view", {total}, {12}, kView));
    EXPECT_EQ(run.placement("total"), hasGap ? "P(sum)" : "?") << hasGap;
  }
}

// Ranks that have written the same values may write others in a step without operators.
TEST(InferredPlacements, OfWrittenParametersMayDifferAfterAStepWithoutOperators) {
  for (const bool hasGap : {false, true}) {
    PlainRun run;
    run.recorder.setCapture(CaptureLevel::Hashes);
    const auto w = run.tensor("w", {2});
    run.allReduce(w);
    Event step = makeStep(run.recorder, "step 2");
    step.verdict = hasGap ? Verdict::Off : Verdict::None;
    run.recorder.note(step);
    run.parameter("w", w);
    record(run, w, {1, 2}, {1, 3});
    EXPECT_EQ(inferPlacements(run.journal).findings.size(), hasGap ? 0U : 1U);
  }
}

TEST(InferredPlacements, NameTheRanksOfAStage) {
  EXPECT_EQ(nameText("w", {}), "w");
  EXPECT_EQ(nameText("w", {2, 3}), "w (ranks 2,3)");
}

// A whole tensor that is reduced again contradicts the reduction.
TEST(InferredPlacements, OfContradictionsAreNotStated) {
  PlainRun run;
  const auto x = run.tensor("x", {3, 4});
  run.allReduce(x);
  const auto y = run.call("aten.gelu", {x}, {3, 4}, kGelu);
  run.note("before", y, R"({"role":"output"})");
  run.allReduce(y);
  EXPECT_EQ(run.placement("before"), "!");
}

// Different arguments on the ranks make values that no rule describes.
TEST(InferredPlacements, AreUnknownAfterDifferentArguments) {
  PlainRun run;
  const auto x = run.tensor("x", {3, 4});
  run.allReduce(x);
  run.note("moved",
           run.call("aten.gelu", {x}, {3, 4},
                    R"({"args":{"self":{"tensor":0}},"pointwise":true,"differs":true})"),
           R"({"role":"output"})");
  EXPECT_EQ(run.placement("moved"), "?");
}

constexpr auto kClaim = R"json({"role":"claim","claim":{"tp":"S(1)"}})json";

// A statement of the program settles what several placements fit.
TEST(InferredPlacements, FollowFromClaims) {
  PlainRun run;
  const auto x = run.tensor("x", {3, 4}), w = run.tensor("w", {4, 2});
  run.allReduce(x);
  run.parameter("w", w);
  const auto y = run.call("aten.mm", {x, w}, {3, 2}, kMm);
  run.note("assert_placement", y, kClaim);
  EXPECT_EQ(run.placement("w"), "S(1)");
  EXPECT_TRUE(inferPlacements(run.journal).findings.empty());
}

TEST(InferredPlacements, FindASecondReduction) {
  PlainRun run;
  const auto x = run.tensor("x", {3, 4});
  run.note("x", x, R"({"role":"output"})");
  run.allReduce(x);
  EXPECT_TRUE(inferPlacements(run.journal).findings.empty());
  run.allReduce(x);
  EXPECT_TRUE(inferPlacements(run.journal).findings.empty());  // the program may ignore the sum
  run.note("x", x, R"({"role":"output"})");
  const auto found = inferPlacements(run.journal).findings;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().fault, PlainFault::ReducedTwice);
}

// As sums over tp, tp and dp are in a job with two axes.
TEST(InferredPlacements, FindASecondReductionThatAnotherCollectiveReads) {
  PlainRun run;
  const auto x = run.tensor("x", {3, 4});
  run.note("x", x, R"({"role":"output"})");
  run.allReduce(x);
  run.allReduce(x);
  run.allReduce(x, "max");
  EXPECT_TRUE(inferPlacements(run.journal).findings.empty());
  run.note("x", x, R"({"role":"output"})");
  const auto found = inferPlacements(run.journal).findings;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().fault, PlainFault::ReducedTwice);
}

// The weight of a norm is 1 everywhere at first, so that its values show nothing.
TEST(InferredPlacements, FindGradientsOfAConstantParameterThatDiffer) {
  PlainRun run;
  run.recorder.setCapture(CaptureLevel::Hashes);
  const auto x = run.tensor("x", {2}), w = run.tensor("w", {2}), g = run.tensor("w.grad", {2});
  run.allReduce(x);
  run.parameter("w", w);
  record(run, w, {1, 1}, {1, 1});
  run.note("w", w, R"({"role":"claim","claim":{"tp":"R"}})");
  run.note("w.grad", g, R"({"role":"gradient"})");
  record(run, g, {1, 2}, {1, 3});
  const auto found = inferPlacements(run.journal).findings;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().fault, PlainFault::GradientsDiffer);
}

// The reduction shows that the gradient was whole. Its values show that a rank has changed it
// since.
TEST(InferredPlacements, OfParametersFollowAGradientThatDiffersAfterItsReduction) {
  PlainRun run;
  run.recorder.setCapture(CaptureLevel::Hashes);
  const auto w = run.tensor("w", {2}), g = run.tensor("w.grad", {2});
  run.parameter("w", w);
  record(run, w, {1, 2}, {1, 2});
  run.allReduce(g);
  run.note("w.grad", g, R"({"role":"gradient"})");
  record(run, g, {1, 2}, {1, 3});
  run.parameter("w", w);
  record(run, w, {0, 1}, {0, 2});
  const auto found = inferPlacements(run.journal).findings;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().fault, PlainFault::GradientsDiffer);
}

// Gloo sums in a buffer, of which each rank then copies another part.
TEST(InferredPlacements, FollowTheCopyOfAReduceScatter) {
  PlainRun run;
  const auto x = run.tensor("x", {4}), part = run.tensor("part", {2}), sum = run.tensor("sum", {4});
  {
    const std::vector<TensorId> inputs{x};
    const Span span(run.recorder,
                    makePlainCall(run.recorder, "c10d._reduce_scatter_base_",
                                  R"({"collective":"reduce_scatter","op":"sum","group":"tp"})"),
                    inputs);
    run.recorder.note(
        makeCollective(run.recorder, CollectiveKind::ReduceScatter, "0,1", -1, 8, {}));
    run.note("part", part, "");
  }
  const auto first = run.tensor("first", {2}), second = run.tensor("second", {2});
  {
    const std::vector<TensorId> inputs{sum};
    const Span span(run.recorder,
                    makePlainCall(run.recorder, "aten.split.Tensor",
                                  R"({"args":{"self":{"tensor":0},"split_size":2,"dim":0}})"),
                    inputs);
    run.note("first", first, "");
    run.note("second", second, "");
  }
  run.write("aten.copy_", {part, first},
            R"({"args":{"self":{"tensor":0},"src":{"tensor":1}},"mixed":[1]})");
  run.note("part", part, R"({"role":"output"})");
  EXPECT_EQ(run.placement("part"), "S(0)");
}

// torch.distributed.pipelining sums one tensor of zeros again and again.
TEST(InferredPlacements, AcceptReductionsThatSynchronise) {
  PlainRun run;
  const auto zeros = run.call("aten.zeros", {}, {1}, R"({"args":{"size":[1]}})");
  run.allReduce(zeros);
  run.allReduce(zeros);
  run.allReduce(zeros);
  run.note("zeros", zeros, R"({"role":"output"})");
  EXPECT_TRUE(inferPlacements(run.journal).findings.empty());
}

// The average of equal values is that value.
TEST(InferredPlacements, AcceptAnAverageAfterAReduction) {
  PlainRun run;
  const auto x = run.tensor("x", {3, 4});
  run.note("x", x, R"({"role":"output"})");
  run.allReduce(x);
  run.allReduce(x, "avg");
  EXPECT_TRUE(inferPlacements(run.journal).findings.empty());
}

// A tensor is whole if all of it was summed through another one.
TEST(InferredPlacements, OfOverlappingTensorsAreNotStated) {
  const auto placementAs = [](const char* role) {
    PlainRun run;
    const auto part = run.tensor("part", {2, 4}), x = run.tensor("x", {3, 4});
    run.allReduceBeside(part, x, role);
    run.note("seen", x, R"({"role":"output"})");
    return run.placement("seen");
  };
  EXPECT_EQ(placementAs(R"({"role":"overlap"})"), "?");
  EXPECT_EQ(placementAs(R"({"role":"alias"})"), "R");
}

// An output that is a partial sum at one call, and contradicts that at another, has no placement.
TEST(InferredPlacements, OfOneContradictedOccurrenceAreNotStated) {
  PlainRun run;
  const auto x = run.tensor("x", {3, 4}), other = run.tensor("other", {3, 4});
  run.note("seen", other, R"({"role":"output"})");
  run.allReduce(other);
  run.allReduce(x);
  const auto y = run.call("aten.gelu", {x}, {3, 4}, kGelu);
  run.note("seen", y, R"({"role":"output"})");
  run.allReduce(y);
  EXPECT_EQ(run.placement("seen"), "!");
}

// The states of the generators decide whether the dropout of a whole input is whole.
TEST(InferredPlacements, OfDropoutFollowFromClaims) {
  PlainRun run;
  const auto x = run.tensor("x", {3, 4});
  run.allReduce(x);
  const auto drop = [&] {
    return run.call("aten.native_dropout", {x}, {3, 4},
                    R"({"args":{"input":{"tensor":0},"p":0.5,"train":true}})");
  };
  run.note("unknown", drop(), R"({"role":"output"})");
  const auto same = drop();
  run.note("same", same, R"({"role":"output"})");
  run.note("assert_placement", same, R"({"role":"claim","claim":{"tp":"R"}})");
  EXPECT_EQ(run.placement("unknown"), "?");
  EXPECT_EQ(run.placement("same"), "R");
  EXPECT_TRUE(inferPlacements(run.journal).findings.empty());
}

// The last operators of a recording that grows have no results yet, and details may be damaged.
TEST(InferredPlacements, SurviveIncompleteOperators) {
  PlainRun run;
  const auto x = run.tensor("x", {3, 4});
  run.allReduce(run.tensor("other", {3, 4}));
  run.note("x", x, R"({"role":"output"})");
  run.call("aten.mm", {x}, {3, 4}, R"({"args":{"self":{"tensor":7},"mat2":{"tensor":-1}}})");
  run.call("aten.gelu", {}, {3, 4}, kGelu);
  run.call("aten.expand", {x}, {4}, R"({"args":{"self":{"tensor":0},"size":[4]}})");
  run.call("aten.copy_", {x, x}, {3, 4}, R"({"args":{"self":{"tensor":9}}})");
  {
    const std::vector<TensorId> inputs{x};
    constexpr auto kGather = R"({"collective":"all_gather","group":"tp","list":true})";
    const Span gather(run.recorder, makePlainCall(run.recorder, "c10d.allgather_", kGather),
                      inputs);
    run.note("made", x, "");
  }
  const std::vector<TensorId> inputs{x};
  const Span cat(
      run.recorder,
      makePlainCall(run.recorder, "aten.cat", R"({"args":{"tensors":[{"tensor":0}],"dim":-1}})"),
      inputs);
  EXPECT_EQ(inferPlacements(run.journal).tensors.size(), 1U);
}

// Calls of views with arguments and shapes that torch would reject.
TEST(InferredPlacements, SurviveDamagedViews) {
  for (const auto name : ruleNames()) {
    const std::string op(name.substr(0, name.find(".*")));
    const Rule* rule = findRule(op).rule;
    if (rule == nullptr || rule->family != "view") continue;
    PlainRun run;
    const auto x = run.tensor("x", {3, 4}), scalar = run.tensor("scalar", {});
    run.allReduce(x);
    run.note("x", x, R"({"role":"output"})");
    for (const std::string value : {"null", "0", "9", "-9", "[]", "[9,-9,0,1,7]"}) {
      std::string args = R"({"args":{"self":{"tensor":0})";
      for (const char* arg :
           {"dim", "dim0", "dim1", "dim2", "dimension", "dims", "k", "pad", "repeats", "value"}) {
        args += std::string(",\"") + arg + "\":" + value;
      }
      for (const auto& inputs : std::vector<std::vector<TensorId>>{{x}, {scalar}, {x, scalar}}) {
        for (const Shape& shape : {Shape{}, Shape{4}, Shape{0, 5}, Shape{3, 4, 5}}) {
          run.call(op.c_str(), inputs, shape, (args + "}}").c_str());
        }
      }
    }
    EXPECT_EQ(inferPlacements(run.journal).tensors.size(), 1U) << op;
  }
}

}  // namespace
}  // namespace shardlens
