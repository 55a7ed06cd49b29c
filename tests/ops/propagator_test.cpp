#include "core/ops/propagator.h"

#include "tests/ops/written_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

using testing::ElementsAre;

const WrittenCall kFree = {"aten.embedding", {{{8, 4}, "R"}, {{6}, "R", DType::Int64}}, {6, 4}};

TEST(Propagator, PrefersNoRedistributionThenTheFirstOfEquals) {
  EXPECT_THAT(candidates(kFree),
              ElementsAre("replicate: (R) (R) -> (R)", "column-wise: (S(1)) (R) -> (S(1))",
                          "row-wise: (S(0)) (MaskP(sum, [8, 4], 0)) -> (MaskP(sum, [8, 4], 0))",
                          "batch: (R) (S(0)) -> (S(0))"));
}

// If two candidates cost the same, the one that the rule lists first comes first.
TEST(Propagator, TiesGoToTheEarlierRow) {
  const WrittenCall tied = {"aten.add.Tensor", {{{6, 4}, "S(0)"}, {{6, 4}, "S(1)"}}, {6, 4}};
  EXPECT_THAT(candidates(tied),
              ElementsAre("sharded: (S(0)) (S(0)) -> (S(0))", "sharded: (S(1)) (S(1)) -> (S(1))",
                          "replicate: (R) (R) -> (R)"));
}

TEST(Propagator, CandidatesAreCheapestFirst) {
  const WrittenCall call = {
      "aten.mul.Tensor", {{{6, 4}, "S(0) P(sum)"}, {{6, 4}, "S(1) R"}}, {6, 4}};
  const auto schema = schemaOf(call);
  const auto propagation = propagate(schema, findRule(call.name), {}, Reasons::Include).value();
  EXPECT_GT(propagation.candidates.size(), 10U);
  double last = 0;
  for (const auto& candidate : propagation.candidates) {
    EXPECT_GE(candidate.cost, last);
    last = candidate.cost;
  }
  EXPECT_EQ(propagation.chosen.inputs, propagation.candidates.front().inputs);
}

TEST(Propagator, AnswersTheSameEachTime) {
  const WrittenCall call = {
      "aten.add.Tensor", {{{6, 4}, "S(0) R"}, {{6, 4}, "S(1) P(sum)"}}, {6, 4}};
  const auto first = candidates(call);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(candidates(call), first);
}

TEST(Propagator, ReportsTheCostOfTheInputs) {
  const auto schema = schemaOf({"aten.add.Tensor", {{{6, 4}, "S(0)"}, {{6, 4}, "S(1)"}}, {6, 4}});
  const CostModel model = {.ranksPerHost = 2, .bandwidth = 1, .latency = 2, .startup = 16};
  const auto chosen =
      propagate(schema, findRule(schema.name), model, Reasons::Include).value().chosen;
  EXPECT_EQ(chosen.bytes, 24);  // half of the 12 floats on a rank
  EXPECT_DOUBLE_EQ(chosen.cost, 16 + 2 + 48.0 / (1 << 30) / 2 * 1e6 + 1);
}

TEST(Propagator, PartialsOfDifferentKindsAreNotMixed) {
  // Separate choices per mesh dimension would keep the average and, beside it, the maximum.
  for (const auto& inputs :
       candidates({"aten.add.Tensor", {{{6, 4}, "P(avg) R"}, {{6, 4}, "R P(max)"}}, {6, 4}})) {
    EXPECT_THAT(inputs, testing::Not(testing::ContainsRegex("P\\(avg\\), P\\(max\\)"))) << inputs;
  }
}

TEST(Propagator, AShardOverTwoMeshDimensionsNeedsAsManyElements) {
  const auto cutTwice = [](std::int64_t n) {
    return chosen({"aten.embedding",
                   {{{n, 4}, "S(0) S(0)"}, {{6}, "R R", DType::Int64}},
                   {6, 4},
                   {},
                   {2, 3}});
  };
  EXPECT_THAT(cutTwice(6), testing::StartsWith("row-wise: (S(0), S(0)) "));
  EXPECT_THAT(cutTwice(5), testing::Not(testing::StartsWith("row-wise: (S(0), S(0)) ")));
}

// Alone, the first pair would use the number replicated, and the second as a partial value.
TEST(Propagator, ListElementsAgreeOnSharedArguments) {
  const auto added = [](const std::string& name, const std::string& a, const std::string& b) {
    const std::vector<TensorIndex> both = {TensorIndex{0}, TensorIndex{1}};
    auto schema = schemaOf({name,
                            {{{6, 4}, a}, {{6, 4}, b}, {{}, "R"}},
                            {6, 4},
                            {{"self", both}, {"other", TensorIndex{2}}},
                            {},
                            {{6, 4}}});
    if (!schema.written.empty()) schema.written = {0, 1};
    const auto propagation = propagate(schema, findRule(name), {});
    return propagation ? toText(propagation->chosen) : propagation.error().message;
  };
  EXPECT_EQ(added("aten._foreach_add.Tensor", "R", "P(sum)"),
            "replicate: (R), (R), (R) -> (R), (R)");
  EXPECT_EQ(added("aten._foreach_add_.Tensor", "P(sum)", "P(sum)"),
            "partial: (P(sum)), (P(sum)), (P(sum)) -> (P(sum)), (P(sum))");
  EXPECT_THAT(added("aten._foreach_add_.Tensor", "R", "P(sum)"),
              testing::HasSubstr("in-place operations that require placement changes"));
}

TEST(Propagator, RefusesACallWithoutAnAllowedStrategy) {
  EXPECT_EQ(chosen({"aten.add.Tensor", {{{8}, "P(bor)"}, {{8}, "P(bor)"}}, {8}}),
            "aten.add.Tensor: no valid sharding strategy for the input placements.");
}

}  // namespace
}  // namespace shardlens
