#include "core/plan/merge.h"

#include "core/plan/planner.h"
#include "tests/plan/exact.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

constexpr std::int64_t kSide = 64;

Spec onMesh(const std::vector<int>& mesh, const std::string& from, const Shape& shape) {
  return specOf(meshOf(mesh), shape, from);
}

// Merges the greedy plan and returns its moves, each with the mesh dimensions of its group.
std::string mergedText(const std::vector<int>& mesh, const std::string& from, const std::string& to,
                       const CostModel& model = {}, const Shape& shape = {kSide, kSide}) {
  const Spec current = onMesh(mesh, from, shape);
  const Plan greedy = planGreedy(current, placementsOf(to)).value();
  const Plan plan = merged(model, current, greedy).value_or(greedy);
  EXPECT_TRUE(isExact(current, placementsOf(to), plan));
  std::string text;
  for (const auto& step : plan) {
    text += (text.empty() ? "" : ", ") + std::string(moveName(step.move));
    for (const int dim : step.meshDims) text += " " + std::to_string(dim);
  }
  return text;
}

TEST(Merge, NeighboursOfOneKindBecomeOne) {
  EXPECT_EQ(mergedText({2, 2}, "S(0) S(0)", "R R"), "all_gather 0 1");
  EXPECT_EQ(mergedText({2, 2}, "S(0) S(1)", "R R"), "all_gather 0 1");
  EXPECT_EQ(mergedText({2, 2}, "P(sum) P(sum)", "R R"), "all_reduce 0 1");
  EXPECT_EQ(mergedText({2, 2}, "P(max) P(max)", "S(0) S(1)"), "reduce_scatter 0 1");
  EXPECT_EQ(mergedText({2, 2}, "S(0) S(0)", "R S(0)"), "all_gather 0 1, slice 1");
  EXPECT_EQ(mergedText({2, 2, 2}, "S(0) S(0) S(0)", "R R R", {.ranksPerHost = 8}),
            "all_gather 0 1 2");
  EXPECT_EQ(mergedText({2, 2, 2}, "P(sum) R P(sum)", "R R R"), "all_reduce 0 2");
}

TEST(Merge, OthersStaySeparate) {
  EXPECT_EQ(mergedText({2, 2}, "P(sum) P(sum)", "R S(0)"), "all_reduce 0, reduce_scatter 1");
  EXPECT_EQ(mergedText({2, 2}, "S(0) R", "R S(1)"), "slice 1, all_gather 0");
  EXPECT_EQ(mergedText({2, 1}, "S(0) S(0)", "R R"), "all_gather 1, all_gather 0");
}

TEST(Merge, SumsAndAveragesAreReducedTogetherWhereTheyHaveFractions) {
  EXPECT_EQ(mergedText({2, 2}, "P(sum) P(avg)", "R R"), "all_reduce 0 1");
  EXPECT_EQ(mergedText({2, 2, 2}, "P(avg) P(avg) P(sum)", "S(0) S(0) S(0)", {.ranksPerHost = 8}),
            "reduce_scatter 0 1 2");
  for (const auto dtype : {DType::Int64, DType::Float32}) {
    const Spec current = specOf(meshOf({2, 2}), {kSide, kSide}, "P(sum) P(avg)", dtype);
    const Plan greedy = planGreedy(current, placementsOf("R R")).value();
    EXPECT_EQ(merged({}, current, greedy).has_value(), dtype == DType::Float32);
  }
}

TEST(Merge, TermsOfDifferentKindsOrWithAFactorOrARootStayApart) {
  EXPECT_EQ(mergedText({2, 2}, "P(sum) P(max)", "R R"), "all_reduce 0, all_reduce 1");
  EXPECT_EQ(mergedText({2, 2}, "P(avg) P(avg)", "R R"), "all_reduce 0 1");
  EXPECT_EQ(mergedText({2, 2}, "NormP(2) NormP(2)", "R R"), "all_reduce 0, all_reduce 1");
  EXPECT_EQ(mergedText({2, 2}, "P(premul_sum,2) P(premul_sum,2)", "R R"),
            "all_reduce 0, all_reduce 1");
  EXPECT_EQ(mergedText({2, 2}, "MaskP(sum,[4],0) P(sum)", "R R"), "all_reduce 0, all_reduce 1");
  EXPECT_EQ(mergedText({2, 2}, "MaskP(sum,[4],0) MaskP(sum,[4],0)", "R R"), "all_reduce 0 1");
}

// Integer averages truncate. For the columns (1, 0) and (3, 0): columns first gives 0, 1 and then
// 0; rows first gives 2, 0 and then 1; all at once gives 1.
TEST(Merge, AveragesOfIntegersStaySeparateAndInOrder) {
  for (const auto& to : {"R R", "R S(0)", "S(0) S(1)"}) {
    const Spec current = specOf(meshOf({2, 4}), {kSide, kSide}, "P(avg) P(avg)", DType::Int64);
    const Plan greedy = planGreedy(current, placementsOf(to)).value();
    EXPECT_EQ(merged({}, current, greedy), std::nullopt);
    EXPECT_EQ(makePlan(PlannerKind::MinCost, {}, current, placementsOf(to)).value(), greedy);
  }
}

// DTensor's flattened gathers are wrong for pieces of unequal length and for strided shards.
TEST(Merge, UnevenAndStridedPiecesAsWell) {
  EXPECT_EQ(mergedText({2, 2}, "S(0) S(0)", "R R", {}, {5, 3}), "all_gather 0 1");
  EXPECT_EQ(mergedText({2, 2}, "SS(0,2) SS(0,2)", "R R", {}, {5, 3}), "all_gather 0 1");
  EXPECT_EQ(mergedText({2, 2}, "P(sum) P(sum)", "S(0) S(0)", {}, {5, 3}), "reduce_scatter 0 1");
}

// One collective of seven hops takes longer than two of one and three hops, unless the second
// startup costs more than the three extra hops.
TEST(Merge, OnlyWhereItTakesNoLonger) {
  CostModel model{.ranksPerHost = 8, .latency = 2, .startup = 6.1};
  EXPECT_EQ(mergedText({2, 4}, "S(0) S(0)", "R R", model), "all_gather 0 1");
  model.startup = 5.9;
  EXPECT_EQ(mergedText({2, 4}, "S(0) S(0)", "R R", model), "all_gather 1, all_gather 0");
}

// Reducing within hosts of four first sends less over the slow link between hosts.
TEST(Merge, NotAcrossHostsWithASlowLink) {
  CostModel slow{.ranksPerHost = 4, .bandwidth = 0.001, .betweenHostsBandwidth = 0.0001};
  EXPECT_EQ(mergedText({2, 4}, "P(sum) P(sum)", "R R", slow), "all_reduce 0, all_reduce 1");
  slow.ranksPerHost = 8;
  EXPECT_EQ(mergedText({2, 4}, "P(sum) P(sum)", "R R", slow), "all_reduce 0 1");
}

TEST(Merge, IsExactAndNoDearerOnRandomOnes) {
  RandomJourneys journeys(11);
  int fewer = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto [from, to] = journeys.next();
    const auto greedy = planGreedy(from, to);
    if (!greedy) continue;
    const auto plan = merged({}, from, *greedy);
    if (!plan) continue;
    ++fewer;
    ASSERT_TRUE(isExact(from, to, *plan));
    ASSERT_LT(plan->size(), greedy->size());
    const Price ours = priceOf({}, from, *plan);
    const Price theirs = priceOf({}, from, *greedy);
    ASSERT_LE(ours.microseconds, theirs.microseconds + 1e-6);
    ASSERT_LE(ours.received, theirs.received + 1e-6);
  }
  EXPECT_GT(fewer, 300);
}

}  // namespace
}  // namespace shardlens
