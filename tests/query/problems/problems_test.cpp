// Tests the rules about traffic, placements, caches, masks and plans.
#include "core/query/sql/sql.h"
#include "core/trace/records/lookup_record.h"
#include "tests/query/problems/problems_fixture.h"
#include "tests/trace/named_event.h"

#include <array>

namespace shardlens {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Severity = Problem::Severity;

TEST_F(ProblemsTest, OfASoundRunThereAreNone) {
  const TensorId x = tensor("x");
  result(x);
  const Span move(recorder_,
                  makeRedistribute(routeIn(recorder_, "S(0) -> R"), x, Verdict::Explicit));
  send("all_gather", 128);
  result(tensor("y", {8, 4}, {Replicate{}}));
  EXPECT_THAT(findProblems(journal_), IsEmpty());
}

TEST_F(ProblemsTest, ImplicitRedistributionsThatSendSomething) {
  const TensorId x = tensor("x");
  for (int step = 0; step < 3; ++step) {
    const Span op(recorder_, makeOperator(recorder_, "aten.mm"));
    const Span move(recorder_,
                    makeRedistribute(routeIn(recorder_, "S(0) -> R"), x, Verdict::Implicit));
    send("all_gather", 512);
    send("all_gather", 512);
  }
  {
    const Span op(recorder_, makeOperator(recorder_, "aten.add"));
    const Span move(recorder_,
                    makeRedistribute(routeIn(recorder_, "R -> S(0)"), x, Verdict::Implicit));
  }
  {
    const TensorId norms = tensor("norms", {4}, {NormPartial{}});  // as in clip_grad_norm_()
    const Span op(recorder_, makeOperator(recorder_, "aten.linalg_vector_norm"));
    const Span move(
        recorder_, makeRedistribute(routeIn(recorder_, "NormP(2) -> R"), norms, Verdict::Implicit));
    send("all_reduce", 16);
  }
  const auto problems = found("implicit-redistribution");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].sentence,
            "implicit redistribution before aten.mm: x S(0) -> R, 3.0 KiB sent");
  EXPECT_EQ(problems[0].times, 3U);
  EXPECT_THAT(problems[0].events, ElementsAre(2, 6, 10));
  EXPECT_EQ(problems[0].severity, Severity::Warning);
}

TEST_F(ProblemsTest, AnAllReduceFollowedByASlice) {
  const TensorId sum = tensor("sum", {8, 4}, {Replicate{}});
  const TensorId other = tensor("other", {8, 4}, {Replicate{}});
  {
    const Span move(recorder_,
                    makeRedistribute(routeIn(recorder_, "P(sum) -> R"), other, Verdict::Explicit));
    send("all_reduce", 128);
    result(sum);
  }
  recorder_.note(makeRedistribute(routeIn(recorder_, "R -> S(0)"), other, Verdict::Explicit));
  EXPECT_THAT(sentences("all-reduce-then-slice"), IsEmpty());
  recorder_.note(makeRedistribute(routeIn(recorder_, "R -> S(0)"), sum, Verdict::Explicit));
  EXPECT_THAT(sentences("all-reduce-then-slice"),
              ElementsAre("sum is reduced on all ranks and then sharded: R -> S(0)"));
}

// A recorded job has one span per step, so an event after a reduction need not be its result.
TEST_F(ProblemsTest, ATensorAfterAnAllReduceIsNotItsResult) {
  const TensorId made = tensor("from_local", {4, 6, 16}, {Shard{2}});
  const TensorId whole = tensor("whole", {8, 4}, {Replicate{}});
  const Span step(recorder_, makeStep(recorder_, "step 0"));
  {
    const Span move(recorder_, makeRedistribute(routeIn(recorder_, "P(sum) -> R"), tensor("y"),
                                                Verdict::Explicit));
    send("all_reduce", 128);
  }
  result(made);
  recorder_.note(makeRedistribute(routeIn(recorder_, "S(2) -> S(2)"), made, Verdict::Explicit));
  result(whole);
  recorder_.note(makeRedistribute(routeIn(recorder_, "R -> S(0)"), whole, Verdict::Explicit));
  EXPECT_THAT(sentences("all-reduce-then-slice"), IsEmpty());
}

TEST_F(ProblemsTest, TheSliceIsAlongTheReducedAxis) {
  const auto reduced = [&](const char* change, const char* name) {
    const TensorId sum = tensor(name);
    const Span move(recorder_,
                    makeRedistribute(routeIn(recorder_, change), tensor("y"), Verdict::Explicit));
    send("all_reduce", 128);
    result(sum);
    return sum;
  };
  const TensorId left = reduced("(R, P(sum)) -> (R, R)", "left");
  recorder_.note(
      makeRedistribute(routeIn(recorder_, "(R, R) -> (S(0), R)"), left, Verdict::Explicit));
  const TensorId stays = reduced("(S(0), P(sum)) -> (S(0), R)", "stays");
  recorder_.note(
      makeRedistribute(routeIn(recorder_, "(S(0), R) -> (S(0), R)"), stays, Verdict::Explicit));
  const TensorId cut = reduced("(S(0), P(sum)) -> (S(0), S(1))", "cut");
  recorder_.note(
      makeRedistribute(routeIn(recorder_, "(S(0), S(1)) -> (S(0), S(1))"), cut, Verdict::Explicit));
  EXPECT_THAT(sentences("all-reduce-then-slice"), IsEmpty());
  const TensorId right = reduced("(S(0), P(sum)) -> (S(0), R)", "right");
  recorder_.note(
      makeRedistribute(routeIn(recorder_, "(S(0), R) -> (S(0), S(1))"), right, Verdict::Explicit));
  EXPECT_THAT(
      sentences("all-reduce-then-slice"),
      ElementsAre("right is reduced on all ranks and then sharded: (S(0), R) -> (S(0), S(1))"));
}

// Warnings that send more come first. Layer 3 is placed otherwise than the other layers.
TEST_F(ProblemsTest, TheCauseIsTheLayerThatIsPlacedOtherwise) {
  std::vector<TensorId> weights;
  for (int layer = 0; layer < 6; ++layer) {
    const auto name = "layers." + std::to_string(layer) + ".down";
    weights.push_back(tensor(name.c_str(), {8, 4}, {Shard{layer == 3 ? 0 : 1}}));
    result(weights.back());
  }
  for (int layer = 0; layer < 6; ++layer) {
    TensorId view = 0;
    {
      const Span op(recorder_, makeOperator(recorder_, "aten.t"), std::span(&weights[layer], 1));
      result(view = tensor("w'"));
    }
    const TensorId x = tensor("x'");
    const std::array inputs{x, view};
    const Span op(recorder_, makeOperator(recorder_, "aten.mm"), inputs);
    const char* route = layer == 3 ? "S(1) -> S(0)" : "S(0) -> R";
    const Span move(recorder_, makeRedistribute(routeIn(recorder_, route), x, Verdict::Implicit));
    send("all_gather", layer == 3 ? 2048 : 128);
  }
  const auto problems = found("implicit-redistribution");
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].bytes, 2048);
  EXPECT_EQ(problems[0].suspect, "layers.3.down");
  EXPECT_EQ(problems[0].cause, "layers.3.down is S(0), layers.0-2,4,5.down are S(1)");
  EXPECT_EQ(problems[0].advice, "place layers.3.down as in the other layers");
  EXPECT_EQ(problems[0].repair, (Repair{"layers.3.down", {Shard{1}}}));
  EXPECT_EQ(problems[1].bytes, 640);
  EXPECT_EQ(problems[1].cause, "");
  EXPECT_EQ(problems[1].suspect, "layers.0.down");
  nlohmann::json rows;
  ASSERT_TRUE(Sql({journal_})
                  .query("SELECT bytes, cause FROM problems WHERE rule = "
                         "'implicit-redistribution' ORDER BY id",
                         [&](const SqlRow& row) {
                           rows.push_back({row[0].second, row[1].second});
                         }));
  EXPECT_EQ(rows, nlohmann::json({{2048, problems[0].cause}, {640, ""}}));
}

// In a loop, the weight of one layer is placed otherwise. Its tensors have no names that tell
// layers.
TEST_F(ProblemsTest, TheCauseIsTheInputThatIsPlacedOtherwiseAtTheLine) {
  recorder_.setSite({.file = "train.py", .line = 9});
  const auto product = [&](Placements weight, bool isMoved) {
    const std::array inputs{tensor("x", {8, 4}, {Shard{1}}),
                            tensor("w", {4, 8}, std::move(weight))};
    const Span op(recorder_, makeOperator(recorder_, "aten.mm"), inputs);
    if (!isMoved) return;
    const Span move(
        recorder_, makeRedistribute(routeIn(recorder_, "S(1) -> R"), inputs[0], Verdict::Implicit));
    send("all_gather", 128);
  };
  product({Shard{1}}, true);
  EXPECT_EQ(found("implicit-redistribution").front().cause, "");
  product({Shard{0}}, false);
  product({Shard{0}}, false);
  product({Replicate{}}, false);
  EXPECT_EQ(found("implicit-redistribution").front().cause,
            "input 2 is S(1), and S(0) in 2 other calls at this line");
  recorder_.setSite({.file = "train.py", .line = 10});
  product({Replicate{}}, false);
  product({Replicate{}}, false);
  EXPECT_EQ(found("implicit-redistribution").front().cause,
            "input 2 is S(1), and S(0) in 2 other calls at this line");
}

// The sentence names the tensor of the event to which the problem leads.
TEST_F(ProblemsTest, ImplicitRedistributionsAreNamedAfterTheFirst) {
  for (const char* name : {"first", "second"}) {
    const TensorId x = tensor(name);
    const Span op(recorder_, makeOperator(recorder_, "aten.mm"), std::span(&x, 1));
    const Span move(recorder_,
                    makeRedistribute(routeIn(recorder_, "S(0) -> R"), x, Verdict::Implicit));
    send("all_gather", 512);
  }
  EXPECT_THAT(sentences("implicit-redistribution"),
              ElementsAre("implicit redistribution before aten.mm: first S(0) -> R, 1.0 KiB sent"));
}

// The message of an error says all that is known.
TEST_F(ProblemsTest, ARefusedStepHasNoAdvice) {
  recorder_.note(makeError(recorder_, "RuntimeError: timed out"));
  EXPECT_EQ(found("refused-step").front().advice, "");
}

// Records an operator that reads x. With a `change`, it first redistributes x implicitly.
class PlacementProblemsTest : public ProblemsTest {
 protected:
  void read(TensorId x, const char* change, std::int64_t bytes) {
    const Span step(recorder_, makeStep(recorder_, "y = aten.mm(x)"));
    const Span call(recorder_, makeOperator(recorder_, "aten.mm"), std::span(&x, 1));
    if (change == nullptr) return;
    const Span move(recorder_, makeRedistribute(routeIn(recorder_, change), x, Verdict::Implicit));
    if (bytes != 0) send("all_gather", bytes);
  }
};

TEST_F(PlacementProblemsTest, ATensorThatIsAlwaysMovedFirst) {
  const TensorId x = tensor("x");
  result(x);
  EXPECT_THAT(sentences("cheaper-placement"), IsEmpty());
  read(x, "S(0) -> R", 512);
  read(x, "S(0) -> R", 512);
  EXPECT_THAT(
      sentences("cheaper-placement"),
      ElementsAre("x is S(0), but every reader (2 times) redistributes it to R: 1.0 KiB sent"));
  EXPECT_EQ(found("cheaper-placement")[0].advice, "place x as R from the start");
  read(x, nullptr, 0);  // an operator that reads it unchanged
  EXPECT_THAT(sentences("cheaper-placement"), IsEmpty());
}

TEST_F(PlacementProblemsTest, ReadersOfStepsWithoutOperatorsAreUnknown) {
  const TensorId x = tensor("x"), w = tensor("w", {8, 4}, {Replicate{}});
  result(x);
  result(w);
  read(x, "S(0) -> R", 512);
  read(w, "R -> S(1)", 0);
  Event step = makeStep(recorder_, "step 2");
  step.verdict = Verdict::Off;
  recorder_.note(step);
  EXPECT_THAT(
      sentences("cheaper-placement"),
      ElementsAre("x is S(0), but every recorded reader (once) redistributes it to R: 512 B sent"));
  EXPECT_THAT(sentences("replicated-for-nothing"),
              ElementsAre("each rank holds all of w, but every recorded reader (once) uses only "
                          "S(1) of it"));
}

TEST_F(PlacementProblemsTest, NotATensorThatIsMovedToDifferentPlacements) {
  const TensorId x = tensor("x");
  result(x);
  read(x, "S(0) -> R", 512);
  read(x, "S(0) -> S(1)", 512);
  EXPECT_THAT(sentences("cheaper-placement"), IsEmpty());
}

TEST_F(PlacementProblemsTest, NotPartialsThatAreReduced) {
  const TensorId x = tensor("x", {8, 4}, {Partial{}});
  result(x);
  read(x, "P(sum) -> R", 512);
  EXPECT_THAT(sentences("cheaper-placement"), IsEmpty());
}

// The placement of an operator's result is chosen by the operator, not by the program.
TEST_F(PlacementProblemsTest, NotAResultOfAnOperator) {
  const TensorId y = tensor("y");
  {
    const Span call(recorder_, makeOperator(recorder_, "aten.relu"));
    result(y);
  }
  read(y, "S(0) -> R", 512);
  EXPECT_THAT(sentences("cheaper-placement"), IsEmpty());
}

// linear reads w, and so does its inner mm, which redistributes w. This counts once.
TEST_F(PlacementProblemsTest, OperatorsInsideOfOthersCountOnce) {
  const TensorId w = tensor("w");
  result(w);
  {
    const Span outer(recorder_, makeOperator(recorder_, "aten.linear"), std::span(&w, 1));
    read(w, "S(0) -> R", 512);
  }
  EXPECT_THAT(sentences("cheaper-placement"), ElementsAre(HasSubstr("every reader (once)")));
}

TEST_F(PlacementProblemsTest, ATensorThatIsReplicatedWithoutNeed) {
  const TensorId w = tensor("w", {8, 4}, {Replicate{}});
  result(w);
  read(w, "R -> S(1)", 0);
  EXPECT_THAT(
      sentences("replicated-for-nothing"),
      ElementsAre("each rank holds all of w, but every reader (once) uses only S(1) of it"));
  EXPECT_THAT(sentences("cheaper-placement"), IsEmpty());
  read(w, nullptr, 0);
  EXPECT_THAT(sentences("replicated-for-nothing"), IsEmpty());
}

TEST_F(ProblemsTest, ShardsThatAreFarFromEven) {
  result(tensor("a", {9, 4}));  // 12 - 9 = 3 of 12 are padding
  EXPECT_THAT(sentences("uneven-shards"), IsEmpty());
  result(tensor("b", {5, 4}));  // 8 - 5 = 3 of 8 are padding
  EXPECT_THAT(
      sentences("uneven-shards"),
      ElementsAre(HasSubstr(
          "b, f32[5, 4] as S(0), is sharded so unevenly that equal shards would be 38% padding")));
}

TEST_F(ProblemsTest, RefusedStepsAndResultsThatDiffer) {
  const TensorId y = tensor("y");
  result(y);
  recorder_.note(makeCheck(recorder_, "y", y, Verdict::Same, {}));
  const CheckRecord far{.largest = "0.25", .rank = 2, .got = "1.5", .expected = "1.25"};
  recorder_.note(makeCheck(recorder_, "y", y, Verdict::Differs, far));
  recorder_.note(makeCheck(recorder_, "z", y, Verdict::Differs, far));
  recorder_.note(makeError(recorder_, "no such dimension"));
  EXPECT_THAT(sentences("differs-from-plain"),
              ElementsAre("y differs from plain torch: got 1.5 on rank 2, expected 1.25"));
  EXPECT_EQ(found("differs-from-plain")[0].times, 2U);
  EXPECT_THAT(sentences("refused-step"), ElementsAre("no such dimension"));
  EXPECT_EQ(found("differs-from-plain")[0].advice,
            "the program made it: check the values on each rank");
}

TEST_F(ProblemsTest, ResultsThatDifferWithoutAValue) {
  const TensorId y = tensor("y");
  {
    const Span call(recorder_, makeOperator(recorder_, "aten.embedding"));
    result(y);
  }
  recorder_.note(makeCheck(recorder_, "y", y, Verdict::Differs,
                           {.why = "it has no value: the mask is not there"}));
  const auto differing = found("differs-from-plain");
  ASSERT_EQ(differing.size(), 1U);
  EXPECT_EQ(differing[0].sentence,
            "y differs from plain torch: it has no value: the mask is not there");
  EXPECT_EQ(differing[0].advice, "its inputs match plain torch: look at the events just before it");
}

TEST_F(ProblemsTest, MaskBuffersThatAreNotLetGo) {
  const MaskPartial pending{ReduceOp::Sum, {10, 3}, 0};
  const EventId hold = recorder_.note(makeMaskEvent(recorder_, pending, 1, 1, {.holder = "x'"}));
  EXPECT_THAT(sentences("mask-leaked"),
              ElementsAre("mask buffers are held at the end, the last one by x'"));
  recorder_.note(makeMaskEvent(recorder_, pending, 1, 1, {.kind = EventKind::MaskApplied}));
  recorder_.note(
      makeMaskEvent(recorder_, pending, 1, 0, {.kind = EventKind::MaskReleased, .related = hold}));
  EXPECT_THAT(findProblems(journal_), IsEmpty());
  recorder_.note(makeMaskEvent(recorder_, pending, 1, 0, {.kind = EventKind::MaskApplied}));
  EXPECT_THAT(sentences("mask-drained"), ElementsAre("mask buffer 1 is applied without a holder"));
}

TEST_F(ProblemsTest, LookupsOfStepsWithoutOperatorsAreUnknown) {
  for (int i = 0; i < 20; ++i) {
    const Span span(recorder_, makeOperator(recorder_, "aten.add"));
    const LookupRecord record{
        .fields = {{"arg 0", parseLookupValue("f32[" + std::to_string(i) + "](R)")}}};
    recorder_.note(makeLookup(recorder_, CacheTable::Strategy,
                              {.verdict = Verdict::Miss, .kept = true}, record));
  }
  Event step = makeStep(recorder_, "step 2");
  step.verdict = Verdict::Off;
  recorder_.note(step);
  EXPECT_THAT(sentences("growing-cache"),
              ElementsAre("the strategy cache of aten.add never hits in the steps with recorded "
                          "operators: 20 misses; arg 0 has 20 values in 20 misses"));
}

TEST_F(ProblemsTest, CachesThatGoOnGrowing) {
  const auto lookUp = [&](const char* op, Verdict verdict, const std::string& shape,
                          const std::string& other = "") {
    const Span span(recorder_, makeOperator(recorder_, op));
    const LookupRecord record{
        .fields = {{"op", op}, {"arg 0", parseLookupValue(shape + "(R)")}, {"arg 1", other}}};
    recorder_.note(
        makeLookup(recorder_, CacheTable::Strategy, {.verdict = verdict, .kept = true}, record));
  };
  for (int i = 0; i < 40; ++i) lookUp("aten.mm", i < 20 ? Verdict::Miss : Verdict::Hit, "f32[8]");
  // A pass over layers: no eight lookups differ in the same single field.
  for (int i = 0; i < 28; ++i) {
    lookUp("aten.bmm", Verdict::Miss, "f32[" + std::to_string(i % 7) + "]", std::to_string(i / 7));
  }
  for (int i = 0; i < 19; ++i) lookUp("aten.add", Verdict::Miss, "f32[" + std::to_string(i) + "]");
  EXPECT_THAT(sentences("growing-cache"), IsEmpty());
  lookUp("aten.add", Verdict::Miss, "f32[99]");
  EXPECT_THAT(sentences("growing-cache"),
              ElementsAre("the strategy cache of aten.add never hits: 20 misses; arg 0 has 20 "
                          "values in 20 misses"));
  EXPECT_EQ(found("growing-cache")[0].cause, "arg 0 is f32[0](R), then f32[1](R)");
  // The first miss has no entry to compare with.
  const auto all = findProblems(journal_);
  const auto growing = std::ranges::find(all, "growing-cache", &Problem::rule);
  EXPECT_EQ(growing->times, 19U);
  EXPECT_EQ(growing->events.size(), 19U);
  const EventId call = journal_.at(growing->events.front()).parent;
  EXPECT_EQ(journal_.name(journal_.at(call)), "aten.add");
  EXPECT_EQ(journal_.name(journal_.at(call - 2)), "aten.add");
  EXPECT_EQ(journal_.name(journal_.at(call - 4)), "aten.bmm");
  for (int i = 0; i < 40; ++i) {
    lookUp("aten.relu", i % 3 == 0 ? Verdict::Miss : Verdict::Hit,
           "f32[" + std::to_string(i) + "]");
  }
  EXPECT_THAT(sentences("growing-cache")[1],
              HasSubstr("the strategy cache of aten.relu keeps growing: 7 of the last 20"));
  lookUp("aten.bmm", Verdict::Miss, "f32[7]", "0");
  EXPECT_THAT(
      sentences("growing-cache"),
      Contains(HasSubstr("the strategy cache of aten.bmm never hits: 29 misses; arg 0 has 8")));
  // Keys that a full cache has evicted are looked up again.
  for (int i = 0; i < 40; ++i) {
    lookUp("aten.sub", Verdict::Miss, "f32[" + std::to_string(i % 4) + "]");
  }
  EXPECT_THAT(
      sentences("growing-cache"),
      Contains(HasSubstr("the strategy cache of aten.sub never hits: 40 misses; arg 0 has 4")));
}

TEST_F(ProblemsTest, CacheKeysWhoseFieldsVaryTogether) {
  const auto lookUp = [&](const char* op, std::vector<LookupField> fields) {
    const Span span(recorder_, makeOperator(recorder_, op));
    const LookupRecord record{.fields = std::move(fields)};
    recorder_.note(makeLookup(recorder_, CacheTable::Strategy,
                              {.verdict = Verdict::Miss, .kept = true}, record));
  };
  const auto rows = [](std::int64_t count, std::int64_t columns) {
    return LookupTensor{.shape = {count, columns}, .placements = {Replicate{}}};
  };
  for (int i = 0; i < 20; ++i) {
    const std::string limit = std::to_string(i);
    lookUp("aten.clamp", {{"self", rows(8, 8)}, {"min", "-" + limit}, {"max", limit}, {"of", "1"}});
    lookUp("aten.add", {{"self", rows(i + 8, 4)}, {"other", rows(i + 8, 4)}, {"alpha", "1"}});
    // Layers of other widths: two sizes differ.
    lookUp("aten.mm", {{"self", rows(5, 16 * i)}, {"mat2", rows(16 * i, 16 * i + 16)}});
  }
  const auto growing = found("growing-cache");
  ASSERT_EQ(growing.size(), 2U);
  EXPECT_EQ(growing[0].sentence,
            "the strategy cache of aten.clamp never hits: 20 misses; min, max have 20 values in 20 "
            "misses");
  EXPECT_EQ(growing[0].advice, "pass min, max as tensors if the operator takes them");
  EXPECT_EQ(growing[0].cause, "");
  EXPECT_EQ(growing[1].sentence,
            "the strategy cache of aten.add never hits: 20 misses; self, other have 20 values in "
            "20 misses");
  EXPECT_EQ(growing[1].advice,
            "keep the shapes constant, for example pad batches to a few lengths");
}

// A plan's key has the tensor and its new placement. Only a number can become a tensor.
TEST_F(ProblemsTest, CacheKeysOfPlansAndOfTexts) {
  for (int i = 0; i < 20; ++i) {
    const std::string size = std::to_string(i + 3);
    const auto lookUp = [&](CacheTable table, std::vector<LookupField> fields) {
      recorder_.note(makeLookup(recorder_, table, {.verdict = Verdict::Miss, .kept = true},
                                LookupRecord{.fields = std::move(fields)}));
    };
    lookUp(CacheTable::Plan,
           {{"from", parseLookupValue("f32[" + size + "](S(0))")}, {"to", "(R)"}});
    lookUp(CacheTable::Strategy, {{"op", "aten.view"}, {"size", "[" + size + "]"}});
  }
  const auto growing = found("growing-cache");
  ASSERT_EQ(growing.size(), 2U);
  EXPECT_EQ(growing[0].sentence,
            "the plan cache never hits: 20 misses; the redistributed tensor has 20 values in 20 "
            "misses");
  EXPECT_EQ(growing[0].cause, "the redistributed tensor is f32[3](S(0)), then f32[4](S(0))");
  EXPECT_EQ(growing[1].cause, "size is [3], then [4]");
  EXPECT_EQ(growing[1].advice,
            "keep the shapes constant, for example pad batches to a few lengths");
}

TEST_F(ProblemsTest, OperatorsWithoutARule) {
  const auto call = [&](const char* op, std::string_view strategy) {
    const Span span(recorder_, makeOperator(recorder_, op));
    recorder_.note(makeCandidates(recorder_, strategy, 1, 0, std::nullopt));
  };
  call("aten.relu", "replicate");
  EXPECT_THAT(sentences("missing-rule"), IsEmpty());
  call("aten.frexp", kNoRule);
  call("aten.frexp", kNoRule);
  EXPECT_THAT(
      sentences("missing-rule"),
      ElementsAre("aten.frexp has no sharding rule: every rank ran it on replicated inputs"));
  EXPECT_EQ(found("missing-rule")[0].times, 2U);
}

TEST_F(ProblemsTest, PlansThatTakeMuchLonger) {
  recorder_.meta("backend", "gloo");
  const PlanRecord plan{.steps = {{.axis = "tp",
                                   .from = "S(0)",
                                   .to = "R",
                                   .move = "all_gather",
                                   .after = "R",
                                   .microseconds = 100}}};
  const auto move = [&](std::int64_t took) {
    const Span span(recorder_, makeRedistribute(routeIn(recorder_, "S(0) -> R"), tensor("x"),
                                                Verdict::Explicit));
    recorder_.note(makePlan(recorder_, routeIn(recorder_, "S(0) -> R"), 1, 0, plan));
    now_ += took;
  };
  move(900'000);
  EXPECT_THAT(sentences("misestimated-plan"), IsEmpty());
  move(2'000'000);
  EXPECT_THAT(sentences("misestimated-plan"),
              ElementsAre("S(0) -> R took 2.0 ms, estimated 100.0 us"));
}

TEST_F(ProblemsTest, ErrorsComeFirst) {
  result(tensor("b", {5, 4}));
  recorder_.note(makeError(recorder_, "refused"));
  const auto problems = findProblems(journal_);
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].rule, "refused-step");
  EXPECT_EQ(problems[1].rule, "uneven-shards");
}

}  // namespace
}  // namespace shardlens
