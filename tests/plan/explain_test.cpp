#include "core/plan/explain.h"

#include "tests/plan/exact.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

Explanation explained(PlannerKind kind, const std::string& from, const std::string& to,
                      const std::vector<int>& mesh = {2, 2}) {
  const Spec current = specOf(meshOf(mesh), {16, 16}, from);
  return explain(kind, {}, current, placementsOf(to)).value();
}

TEST(Explain, TheChosenPlanStepByStep) {
  const auto why = explained(PlannerKind::Greedy, "S(0) S(0)", "R S(0)");
  EXPECT_EQ(why.chosen.name, "greedy");
  EXPECT_EQ(toText(placementsOf("S(0) S(0)"), why.chosen.plan),
            "(S(0), S(0)) -> (S(0), R) -> (R, R) -> (R, S(0))");
  EXPECT_EQ(why.chosen.collectives, 2);
  EXPECT_EQ(why.explored, 0);
  ASSERT_EQ(why.chosen.prices.size(), 3u);
  EXPECT_EQ(why.chosen.prices[0].received, 256);
  EXPECT_EQ(why.chosen.prices[1].received, 512);
  EXPECT_EQ(why.chosen.prices[2].received, 0);
  EXPECT_EQ(why.chosen.total.received, 768);
  EXPECT_EQ(why.chosen.total.peak, 1024 + 512);
}

TEST(Explain, ListsAlternativesTheCheapestFirst) {
  const auto why = explained(PlannerKind::MinCost, "S(0) S(1)", "S(1) S(0)");
  EXPECT_GT(why.explored, 0);
  std::vector<std::string> names;
  for (const auto& other : why.alternatives) names.push_back(other.name);
  EXPECT_EQ(names.front(), "greedy");
  EXPECT_NE(std::find(names.begin(), names.end(), "decompose"), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "via (R, S(1))"), names.end());
  const Spec current = specOf(meshOf({2, 2}), {16, 16}, "S(0) S(1)");
  double before = why.chosen.total.microseconds;
  for (const auto& other : why.alternatives) {
    EXPECT_TRUE(isExact(current, placementsOf("S(1) S(0)"), other.plan)) << other.name;
    EXPECT_NE(other.plan, why.chosen.plan);
    EXPECT_GE(other.total.microseconds, before);
    before = other.total.microseconds;
  }
}

TEST(Explain, NamesEachPlanOnceAndNoneThatComesBack) {
  const auto why = explained(PlannerKind::Decompose, "S(0) R", "R R", {2, 4});
  for (const auto& other : why.alternatives) {
    for (const auto& step : other.plan) EXPECT_NE(step.to, placementsOf("S(0) R")) << other.name;
  }
  for (std::size_t i = 0; i < why.alternatives.size(); ++i) {
    EXPECT_NE(why.alternatives[i].plan, why.chosen.plan);
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(why.alternatives[i].plan, why.alternatives[j].plan);
    }
  }
}

TEST(Explain, RefusesThePlacementsThatThePlannerRefuses) {
  const Spec current = specOf(meshOf({2}), {16}, "P(sum)");
  EXPECT_EQ(explain(PlannerKind::MinCost, {}, current, placementsOf("P(max)")).error().message,
            "Redistribution from one partial type (P(sum)) to another (P(max)) is unsupported.");
}

}  // namespace
}  // namespace shardlens
