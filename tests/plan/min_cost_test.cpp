#include "core/plan/search/min_cost.h"

#include "core/plan/explain.h"
#include "core/plan/planner.h"
#include "tests/plan/exact.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

Plan planOf(PlannerKind kind, const Spec& from, const Placements& to, const CostModel& model = {}) {
  return makePlan(kind, model, from, to).value();
}

struct CheapestPlan {
  std::vector<int> mesh;
  std::string from;
  std::string to;
  std::string plan;
};

void expectCheapest(const Shape& shape, const std::vector<CheapestPlan>& cases,
                    const CostModel& model = {}) {
  for (const auto& [mesh, from, to, plan] : cases) {
    const Spec current = specOf(meshOf(mesh), shape, from);
    const Plan found = planOf(PlannerKind::MinCost, current, placementsOf(to), model);
    EXPECT_EQ(toText(current.placements, found), plan) << from << " to " << to;
    EXPECT_TRUE(isExact(current, placementsOf(to), found));
  }
}

TEST(MinCostPlanner, StaysGreedyWhereThatIsBest) {
  expectCheapest(
      {16, 16},
      {
          {{4}, "S(0)", "S(1)", "S(0) -> S(1)"},
          {{2, 2}, "S(0) R", "R S(1)", "(S(0), R) -> (S(0), S(1)) -> (R, S(1))"},
          {{2, 2}, "R S(0)", "S(0) S(0)", "(R, S(0)) -> (R, R) -> (S(0), R) -> (S(0), S(0))"},
          {{2, 2}, "S(0) S(1)", "P(sum) R", "(S(0), S(1)) -> (S(0), R) -> (P(sum), R)"},
          {{2, 2}, "S(0) R", "R S(0)", "(S(0), R) -> (R, R) -> (R, S(0))"},
          {{2, 2}, "R R", "S(0) P(sum)", "(R, R) -> (S(0), R) -> (S(0), P(sum))"},
      });
}

// See Note [Shards that commute].
TEST(MinCostPlanner, GathersAnOuterShardWithoutTheInner) {
  expectCheapest({16, 16},
                 {
                     {{2, 2}, "SS(0,2) S(0)", "R S(0)", "(SS(0, 2), S(0)) -> (R, S(0))"},
                     {{2, 2}, "S(0) S(0)", "R SS(0,2)", "(S(0), S(0)) -> (R, SS(0, 2))"},
                     {{2, 2}, "S(0) S(0)", "S(1) SS(0,2)", "(S(0), S(0)) -> (S(1), SS(0, 2))"},
                     {{2, 4}, "SS(0,4) S(0)", "R S(0)", "(SS(0, 4), S(0)) -> (R, S(0))"},
                     {{2, 2}, "S(0) S(0)", "R S(0)", "(S(0), S(0)) -> (R, R) -> (R, S(0))"},
                     {{2, 2}, "P(sum) S(0)", "SS(0,2) S(0)", "(P(sum), S(0)) -> (SS(0, 2), S(0))"},
                     {{2, 2}, "R S(0)", "SS(0,2) S(0)", "(R, S(0)) -> (SS(0, 2), S(0))"},
                 });
}

TEST(MinCostPlanner, SlicesAnInnerDimensionBeforeAnOuterGather) {
  expectCheapest(
      {16, 16},
      {
          {{2, 2}, "S(0) R", "R SS(0,2)", "(S(0), R) -> (S(0), S(0)) -> (R, SS(0, 2))"},
          {{2, 2}, "S(0) P(sum)", "R SS(0,2)", "(S(0), P(sum)) -> (S(0), S(0)) -> (R, SS(0, 2))"},
      });
}

TEST(MinCostPlanner, ChangesOneShardForAnotherDirectly) {
  expectCheapest({16, 16},
                 {
                     {{4}, "S(0)", "SS(0,2)", "S(0) -> SS(0, 2)"},
                     {{2, 2}, "S(0) S(1)", "S(1) S(0)", "(S(0), S(1)) -> (S(1), S(0))"},
                     {{2, 2}, "SS(0,2) S(0)", "S(0) S(0)", "(SS(0, 2), S(0)) -> (S(0), S(0))"},
                     {{2, 2, 2},
                      "S(0) S(1) P(sum)",
                      "S(1) S(0) R",
                      "(S(0), S(1), P(sum)) -> (S(0), S(1), R) -> (S(1), S(0), R)"},
                 });
}

// (S(0), S(0), S(0)) shards in the order (0, 1, 2). With SS(0, 2) first the order is (1, 0, 2).
TEST(MinCostPlanner, GoesFromOrderToOrder) {
  expectCheapest(
      {8, 8, 8},
      {
          {{2, 2, 2},
           "S(0) S(0) S(0)",
           "R S(0) S(0)",
           "(S(0), S(0), S(0)) -> (R, SS(0, 2), SS(0, 2)) -> (R, S(0), S(0))"},
          {{2, 2, 2},
           "SS(0,2) S(0) S(0)",
           "R S(0) S(0)",
           "(SS(0, 2), S(0), S(0)) -> (R, S(0), SS(0, 2)) -> (R, S(0), S(0))"},
          {{2, 2, 2},
           "SS(0,2) S(0) S(0)",
           "S(0) S(0) R",
           "(SS(0, 2), S(0), S(0)) -> (S(0), S(0), S(0)) -> (S(0), S(0), R)"},
          {{2, 2, 2},
           "S(0) S(0) R",
           "R S(1) S(0)",
           "(S(0), S(0), R) -> (S(0), S(1), R) -> (R, S(1), R) -> (R, S(1), S(0))"},
          {{2, 2, 2},
           "SS(0,4) SS(0,2) S(0)",
           "S(0) S(0) S(0)",
           "(SS(0, 4), SS(0, 2), S(0)) -> (SS(0, 4), SS(0, 2), R) -> (S(0), S(0), R) -> "
           "(S(0), S(0), S(0))"},
          {{2, 2, 2},
           "S(0) SS(0,2) S(0)",
           "R S(1) S(0)",
           "(S(0), SS(0, 2), S(0)) -> (S(0), SS(0, 2), R) -> (S(0), S(1), R) -> (R, S(1), "
           "R) -> (R, S(1), S(0))"},
      });
}

TEST(MinCostPlanner, IsAnotherThanGreedyAndArrivesAtTheSame) {
  const Spec current = specOf(meshOf({2, 2, 2}), {8, 8, 8}, "S(0) S(0) S(0)");
  const Placements to = placementsOf("S(1) S(1) S(1)");
  const auto planned = [&](PlannerKind kind) {
    const Plan plan = planOf(kind, current, to);
    EXPECT_TRUE(isExact(current, to, plan));
    return toText(current.placements, plan);
  };
  EXPECT_EQ(planned(PlannerKind::Greedy),
            "(S(0), S(0), S(0)) -> (S(0), S(0), R) -> (S(0), R, R) -> (S(1), R, R) -> (S(1), S(1), "
            "R) -> (S(1), S(1), S(1))");
  EXPECT_EQ(planned(PlannerKind::MinCost),
            "(S(0), S(0), S(0)) -> (S(1), SS(0, 2), SS(0, 2)) -> (S(1), S(1), S(1))");
}

TEST(MinCostPlanner, SlicesBeforeItReducesAndReducesBeforeItGathers) {
  expectCheapest({16, 16},
                 {
                     {{2, 2}, "P(sum) R", "R S(0)", "(P(sum), R) -> (P(sum), S(0)) -> (R, S(0))"},
                     {{2, 2}, "P(sum) S(0)", "R R", "(P(sum), S(0)) -> (R, S(0)) -> (R, R)"},
                     {{2, 2},
                      "MaskP(sum,[4],0) R",
                      "P(sum) S(0)",
                      "(MaskP(sum, [4], 0), R) -> (P(sum), R) -> (P(sum), S(0))"},
                 });
}

// Six rows in four pieces: mesh row 0 has {0, 2, 4}, mesh row 1 has {1, 3, 5}. Their first halves
// {0, 2} and {1, 3} are not the first half of all rows. For five rows they are.
TEST(MinCostPlanner, ComparesThePartsIfSizesAreNotDivisible) {
  const std::string gatherAndSlice = "(SS(0, 4), S(0)) -> (R, R) -> (R, S(0))";
  expectCheapest({6, 3}, {{{2, 2}, "SS(0,4) S(0)", "R S(0)", gatherAndSlice}});
  expectCheapest({5, 3}, {{{2, 2}, "SS(0,4) S(0)", "R S(0)", "(SS(0, 4), S(0)) -> (R, S(0))"}});
  expectCheapest({0, 3}, {{{2, 2}, "SS(0,4) S(0)", "R S(0)", "(SS(0, 4), S(0)) -> (R, S(0))"}});
  expectCheapest({5, 3}, {{{2, 2}, "S(0) S(0)", "R SS(0,2)", "(S(0), S(0)) -> (R, SS(0, 2))"}});
}

TEST(MinCostPlanner, IgnoresMeshDimensionsOfOneRank) {
  expectCheapest(
      {16, 16},
      {
          {{2, 1, 2}, "SS(0,2) R S(0)", "R R S(0)", "(SS(0, 2), R, S(0)) -> (R, R, S(0))"},
          {{2, 1, 2},
           "SS(0,2) S(0) S(0)",
           "R R S(0)",
           "(SS(0, 2), S(0), S(0)) -> (SS(0, 2), R, S(0)) -> (R, R, S(0))"},
          {{1, 2, 2},
           "P(sum) SS(0,2) S(0)",
           "R R S(0)",
           "(P(sum), SS(0, 2), S(0)) -> (R, SS(0, 2), S(0)) -> (R, R, S(0))"},
          {{2, 2, 1},
           "SS(0,2) S(0) R",
           "R S(0) P(max)",
           "(SS(0, 2), S(0), R) -> (R, S(0), R) -> (R, S(0), P(max))"},
          {{1, 1}, "S(0) P(sum)", "R S(0)", "(S(0), P(sum)) -> (S(0), R) -> (R, R) -> (R, S(0))"},
      });
}

TEST(MinCostPlanner, TakesTheGreedyPlanOnMeshesOfTooManyDimensions) {
  const Spec current = specOf(meshOf(std::vector<int>(9, 2)), {4, 4}, "S(0) S(1) R R R R R R R");
  const Placements to = placementsOf("S(1) S(0) R R R R R R R");
  const Plan greedy = planOf(PlannerKind::Greedy, current, to);
  EXPECT_EQ(planOf(PlannerKind::MinCost, current, to), greedy);
  EXPECT_EQ(planMinCost({}, current, to, greedy).caveat,
            "meshes of more than 8 dimensions are not searched");
}

TEST(MinCostPlanner, ReportsThatItStoppedEarly) {
  const Spec current = specOf(meshOf({2, 2}), {16, 16}, "SS(0,2) S(0)");
  const Placements to = placementsOf("R S(0)");
  const Plan greedy = planOf(PlannerKind::Greedy, current, to);
  const auto whole = planMinCost({}, current, to, greedy);
  EXPECT_NE(whole.plan, greedy);
  EXPECT_EQ(whole.caveat, "");
  const auto enough = planMinCost({}, current, to, greedy, whole.explored + 1);
  EXPECT_EQ(enough.plan, whole.plan);
  EXPECT_EQ(enough.caveat, "");
  const auto stopped = planMinCost({}, current, to, greedy, whole.explored);
  EXPECT_EQ(stopped.plan, greedy);
  EXPECT_EQ(stopped.caveat,
            "the search stopped after " + std::to_string(whole.explored) + " states");
}

TEST(MinCostPlanner, ReportsThatItKeepsTheGreedyOrderOfAverages) {
  const auto mesh = meshOf({2, 2});
  const Spec current{mesh, placementsOf("P(avg) P(avg)"), {{16}, {1}, DType::Int64}};
  const auto why = explain(PlannerKind::MinCost, {}, current, placementsOf("R R")).value();
  EXPECT_EQ(why.caveat, "averages of integers are reduced in the order of the greedy plan");
  EXPECT_EQ(why.explored, 0);
}

// Gathering before the reduce_scatter takes fewer hops. Reducing before the gather sends fewer
// bytes.
TEST(MinCostPlanner, WeighsBytesAgainstLatency) {
  const auto planned = [](std::int64_t rows, const CostModel& model) {
    const Spec current = specOf(meshOf({4, 8}), {rows, 4096}, "P(sum) S(0)");
    return toText(current.placements,
                  planOf(PlannerKind::MinCost, current, placementsOf("S(0) R"), model));
  };
  const std::string few = "(P(sum), S(0)) -> (P(sum), R) -> (S(0), R)";
  const std::string many = "(P(sum), S(0)) -> (R, S(0)) -> (R, R) -> (S(0), R)";
  EXPECT_EQ(planned(16, {}), few);
  EXPECT_EQ(planned(32, {}), many);
  EXPECT_EQ(planned(32, {.betweenHostsLatency = 27}), few);
}

// An all_gather and an all_to_all over two mesh dimensions suffice, but they are heavier than the
// greedy plan's all_to_all and two smaller gathers. They are chosen only if the bytes saved make up
// for that.
TEST(MinCostPlanner, TakesNoHeavierKindForALittle) {
  const auto planned = [](std::int64_t rows) {
    const Spec current = specOf(meshOf({2, 2, 2}), {rows, 4096}, "S(0) S(0) S(0)");
    return toText(current.placements,
                  planOf(PlannerKind::MinCost, current, placementsOf("R S(0) S(1)")));
  };
  EXPECT_EQ(planned(16),
            "(S(0), S(0), S(0)) -> (S(0), S(0), S(1)) -> (S(0), R, S(1)) -> (R, R, S(1)) -> (R, "
            "S(0), S(1))");
  EXPECT_EQ(planned(4096), "(S(0), S(0), S(0)) -> (R, SS(0, 2), SS(0, 2)) -> (R, S(0), S(1))");
}

TEST(MinCostPlanner, ComparesFewPartsOnLargeMeshes) {
  const auto mesh = meshOf({64, 8, 16});
  for (const auto& shape : std::vector<Shape>{{100001, 999, 37}, {65536, 8192, 64}}) {
    for (const auto& [from, to] :
         std::vector<std::pair<std::string, std::string>>{{"S(0) P(sum) R", "S(1) S(1) S(1)"},
                                                          {"S(0) R R", "S(2) P(sum) S(2)"},
                                                          {"S(0) S(1) S(1)", "S(1) S(1) S(0)"}}) {
      const Spec current = specOf(mesh, shape, from);
      const Placements target = placementsOf(to);
      const auto found = planMinCost({}, current, target, planGreedy(current, target).value());
      EXPECT_TRUE(found.partsCompared > 0 && found.partsCompared < mesh->size())
          << from << " to " << to << ": " << found.partsCompared;
    }
  }
}

TEST(MinCostPlanner, IsIndependentOfEarlierRequests) {
  RandomJourneys journeys(7);
  std::vector<Journey> requests;
  for (int i = 0; i < 300; ++i) requests.push_back(journeys.next());
  std::vector<Result<Plan>> first;
  for (const auto& [from, to] : requests) {
    first.push_back(makePlan(PlannerKind::MinCost, {}, from, to));
  }
  std::vector<std::size_t> order(requests.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::mt19937 random(3);
  for (int round = 0; round < 3; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const auto i : order) {
      const auto again = makePlan(PlannerKind::MinCost, {}, requests[i].from, requests[i].to);
      ASSERT_EQ(again.has_value(), first[i].has_value());
      if (again) {
        ASSERT_EQ(*again, *first[i]);
      }
    }
  }
}

void expectNoWorseThanGreedy(const Spec& from, const Placements& to, int* cheaper) {
  const auto greedy = planGreedy(from, to);
  const auto plan = makePlan(PlannerKind::MinCost, {}, from, to);
  ASSERT_EQ(plan.has_value(), greedy.has_value());
  if (!plan) {
    ASSERT_EQ(plan.error().message, greedy.error().message);
    return;
  }
  ASSERT_TRUE(isExact(from, to, *plan));
  const Price ours = priceOf({}, from, *plan);
  const Price theirs = priceOf({}, from, *greedy);
  ASSERT_LE(collectiveCount(*from.mesh, *plan), collectiveCount(*from.mesh, *greedy));
  ASSERT_LE(ours.received, theirs.received * (1 + 1e-9) + 0.1);
  ASSERT_LE(ours.microseconds, theirs.microseconds * (1 + 1e-9) + 1e-5);
  *cheaper += ours.microseconds < theirs.microseconds - 1e-5 ? 1 : 0;
}

TEST(MinCostPlanner, IsExactAndNoWorseThanGreedyOnAllOfTwoDimensions) {
  const std::vector<std::string> choices = {"R", "S(0)", "S(1)", "P(sum)", "SS(0,2)", "SS(0,3)"};
  std::vector<std::string> pairs;
  for (const auto& a : choices) {
    for (const auto& b : choices) pairs.push_back(a + " " + b);
  }
  int cheaper = 0;
  for (const auto& [shape, sizes] : std::vector<std::pair<Shape, std::vector<int>>>{
           {{24, 8}, {4, 2}}, {{5, 3}, {2, 2}}, {{6, 4}, {2, 3}}}) {
    const auto mesh = meshOf(sizes);
    for (const auto& from : pairs) {
      for (const auto& to : pairs) {
        expectNoWorseThanGreedy(specOf(mesh, shape, from), placementsOf(to), &cheaper);
        ASSERT_FALSE(HasFatalFailure()) << from << " to " << to;
      }
    }
  }
  EXPECT_GT(cheaper, 600);
}

TEST(MinCostPlanner, IsExactAndNoWorseThanGreedyOnRandomOnes) {
  RandomJourneys journeys(20261121);
  int cheaper = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto [from, to] = journeys.next();
    expectNoWorseThanGreedy(from, to, &cheaper);
    ASSERT_FALSE(HasFatalFailure()) << toText(from) << " to " << toText(to);
  }
  EXPECT_GT(cheaper, 500);
}

}  // namespace
}  // namespace shardlens
