#include "core/inference/inference.h"
#include "core/inference/words.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/recorder/recorder.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

// Records operators on plain tensors as the recorder of jobs does, of two ranks at once.
class PlainRun {
 public:
  PlainRun() {
    recorder.addSink(journal);
    recorder.meta("hosted", "0,1");
    recorder.setRanks("0,1");
  }

  TensorId tensor(const char* name, Shape shape) {
    return recorder.addTensor(name, Spec(DType::Float32, std::move(shape)));
  }
  void parameter(const char* name, TensorId id) { note(name, id, R"({"role":"parameter"})"); }
  TensorId call(const char* op, const std::vector<TensorId>& inputs, Shape shape,
                const char* detail) {
    const Span span(recorder, makePlainCall(recorder, op, detail), inputs);
    const TensorId made = tensor("made", std::move(shape));
    note("made", made, "");
    return made;
  }
  void allReduce(TensorId id) {
    constexpr auto kDetail = R"({"collective":"all_reduce","op":"sum","group":"tp"})";
    const std::vector<TensorId> inputs{id};
    const Span span(recorder, makePlainCall(recorder, "c10d.allreduce_", kDetail), inputs);
    recorder.note(makeCollective(recorder, CollectiveKind::AllReduce, "0,1", -1, 8, {}));
    note("allreduce_", id, "");
  }
  void note(const char* name, TensorId id, const char* detail) {
    recorder.note(makePlainResult(recorder, name, id, 8, detail));
  }
  std::string placement(const std::string& name) const {
    for (const auto& each : inferPlacements(journal).tensors) {
      if (each.name == name) return placementText(each.placements.at(0));
    }
    return "missing";
  }

  Journal journal;
  Recorder recorder;
};

constexpr auto kMm = R"({"args":{"self":{"tensor":0},"mat2":{"tensor":1}}})";
constexpr auto kGelu = R"({"args":{"self":{"tensor":0},"approximate":"none"},"pointwise":true})";

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
  const auto found = inferPlacements(run.journal).findings;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().fault, PlainFault::ReducedTwice);
}

}  // namespace
}  // namespace shardlens
