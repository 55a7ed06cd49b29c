#include "core/plan/planner.h"

#include "tests/plan/exact.h"

#include <gtest/gtest.h>

#include <array>

namespace shardlens {
namespace {

// Returns the plan as text, or the error message.
std::string planned(const std::string& from, const std::string& to, DType dtype = DType::Float32,
                    PlannerKind kind = PlannerKind::Greedy) {
  const Placements start = placementsOf(from);
  const auto mesh = meshOf(std::vector<int>(start.size(), 2));
  const auto plan = makePlan(kind, {}, specOf(mesh, {8, 8, 8}, from, dtype), placementsOf(to));
  return plan ? toText(start, *plan) : plan.error().message;
}

constexpr std::array kPlanners = {PlannerKind::MinCost, PlannerKind::Greedy,
                                  PlannerKind::Decompose};

struct Planned {
  std::string from;
  std::string to;
  std::string plan;
};

void expectPlans(const std::vector<Planned>& cases, PlannerKind kind = PlannerKind::Greedy) {
  for (const auto& [from, to, plan] : cases) {
    EXPECT_EQ(planned(from, to, DType::Float32, kind), plan) << from << " to " << to;
  }
}

TEST(GreedyPlanner, OneMeshDimensionTakesOneStep) {
  expectPlans({
      {"R", "R", "R"},
      {"R", "S(0)", "R -> S(0)"},
      {"R", "P(sum)", "R -> P(sum)"},
      {"R", "P(avg)", "R -> P(avg)"},
      {"R", "MaskP(sum,[10,3],0)", "R -> MaskP(sum, [10, 3], 0)"},
      {"S(0)", "R", "S(0) -> R"},
      {"S(0)", "S(1)", "S(0) -> S(1)"},
      {"S(0)", "P(sum)", "S(0) -> P(sum)"},
      {"P(max)", "R", "P(max) -> R"},
      {"P(sum)", "S(2)", "P(sum) -> S(2)"},
      {"MaskP(sum,[10,3],0)", "R", "MaskP(sum, [10, 3], 0) -> R"},
      {"MaskP(sum,[10,3],0)", "S(0)", "MaskP(sum, [10, 3], 0) -> S(0)"},
      {"MaskP(sum,[10,3],0)", "P(sum)", "MaskP(sum, [10, 3], 0) -> P(sum)"},
      {"P(premul_sum,0.5)", "S(1)", "P(premul_sum, 0.5) -> S(1)"},
      {"NormP(2)", "R", "NormP(2) -> R"},
      {"R", "NormP(2)", "R -> NormP(2)"},
      {"SS(0,2)", "SS(0,2)", "SS(0, 2)"},
  });
}

TEST(GreedyPlanner, NestedShardsAreUndoneFromTheInside) {
  expectPlans({
      {"S(0) S(0)", "R R", "(S(0), S(0)) -> (S(0), R) -> (R, R)"},
      {"S(0) S(0)", "S(0) R", "(S(0), S(0)) -> (S(0), R)"},
      {"S(0) S(0)", "R S(0)", "(S(0), S(0)) -> (S(0), R) -> (R, R) -> (R, S(0))"},
      {"S(0) S(0)", "S(0) S(1)", "(S(0), S(0)) -> (S(0), S(1))"},
      {"S(0) S(0) S(0)", "R R R",
       "(S(0), S(0), S(0)) -> (S(0), S(0), R) -> (S(0), R, R) -> (R, R, R)"},
      {"S(0) R S(0)", "S(0) S(0) R", "(S(0), R, S(0)) -> (S(0), R, R) -> (S(0), S(0), R)"},
  });
}

TEST(GreedyPlanner, NestedShardsAreMadeFromTheOutside) {
  expectPlans({
      {"R R", "S(0) S(0)", "(R, R) -> (S(0), R) -> (S(0), S(0))"},
      {"S(0) R", "S(0) S(0)", "(S(0), R) -> (S(0), S(0))"},
      {"R S(0)", "S(0) S(0)", "(R, S(0)) -> (R, R) -> (S(0), R) -> (S(0), S(0))"},
      {"R R R", "S(1) S(1) S(1)",
       "(R, R, R) -> (S(1), R, R) -> (S(1), S(1), R) -> (S(1), S(1), S(1))"},
  });
}

TEST(GreedyPlanner, StridedShardsAreShardedAsOthersButNotReshardedInPlace) {
  expectPlans({
      {"SS(0,2)", "R", "SS(0, 2) -> R"},
      {"R", "SS(0,2)", "R -> SS(0, 2)"},
      {"SS(0,2)", "S(1)", "SS(0, 2) -> S(1)"},
      {"P(sum)", "SS(0,2)", "P(sum) -> SS(0, 2)"},
      {"S(0)", "SS(0,2)", "S(0) -> R -> SS(0, 2)"},
      {"SS(0,2)", "SS(0,4)", "SS(0, 2) -> R -> SS(0, 4)"},
      {"SS(0,2) S(0)", "S(0) S(0)",
       "(SS(0, 2), S(0)) -> (SS(0, 2), R) -> (R, R) -> (S(0), R) -> (S(0), S(0))"},
      {"SS(0,2) S(0)", "SS(0,2) R", "(SS(0, 2), S(0)) -> (SS(0, 2), R)"},
  });
}

TEST(EveryPlanner, RelabelsAnEqualShard) {
  for (const auto kind : kPlanners) {
    expectPlans(
        {
            {"SS(0,1)", "S(0)", "SS(0, 1) -> S(0)"},
            {"S(0) S(0)", "SS(0,1) S(0)", "(S(0), S(0)) -> (SS(0, 1), S(0))"},
            {"SS(0,1) S(0) P(sum)", "S(0) S(0) R",
             kind == PlannerKind::Decompose
                 ? "(SS(0, 1), S(0), P(sum)) -> (S(0), S(0), P(sum)) -> (S(0), S(0), R)"
                 : "(SS(0, 1), S(0), P(sum)) -> (SS(0, 1), S(0), R) -> (S(0), S(0), R)"},
        },
        kind);
    const Spec current = specOf(meshOf({2}), {8}, "SS(0,1)");
    const Plan plan = makePlan(kind, {}, current, placementsOf("S(0)")).value();
    EXPECT_EQ(plan.front().move, Move::Relabel);
  }
}

// Products of halves are not half of the product, so products must be reduced first.
TEST(EveryPlanner, MakesPartialsAfterAllReductions) {
  for (const auto kind : kPlanners) {
    expectPlans(
        {
            {"R P(product)", "P(sum) R", "(R, P(product)) -> (R, R) -> (P(sum), R)"},
            {"P(product) R S(0)", "R P(sum) S(0)",
             "(P(product), R, S(0)) -> (R, R, S(0)) -> (R, P(sum), S(0))"},
            {"P(max) R R", "S(0) P(avg) P(avg)",
             "(P(max), R, R) -> (S(0), R, R) -> (S(0), P(avg), R) -> (S(0), P(avg), P(avg))"},
        },
        kind);
  }
}

TEST(GreedyPlanner, MisalignedShardsGoOverReplicate) {
  expectPlans({
      {"S(0) S(1)", "S(1) S(0)", "(S(0), S(1)) -> (S(0), R) -> (S(1), R) -> (S(1), S(0))"},
      {"S(0) S(0)", "S(1) S(1)", "(S(0), S(0)) -> (S(0), R) -> (S(1), R) -> (S(1), S(1))"},
      {"S(0) S(0)", "S(1) S(0)", "(S(0), S(0)) -> (S(0), R) -> (S(1), R) -> (S(1), S(0))"},
      {"R S(0)", "S(0) R", "(R, S(0)) -> (R, R) -> (S(0), R)"},
      {"S(0) S(1) S(0)", "S(1) S(1) S(0)",
       "(S(0), S(1), S(0)) -> (S(0), S(1), R) -> (S(0), R, R) -> (S(1), R, R) -> (S(1), S(1), R) "
       "-> (S(1), S(1), S(0))"},
  });
}

TEST(GreedyPlanner, ShardsOfOtherDimensionsStay) {
  expectPlans({
      {"R S(0)", "S(1) S(0)", "(R, S(0)) -> (S(1), S(0))"},
      {"S(1) S(0)", "R S(0)", "(S(1), S(0)) -> (R, S(0))"},
      {"R S(0) S(1)", "S(2) S(0) R", "(R, S(0), S(1)) -> (R, S(0), R) -> (S(2), S(0), R)"},
      {"P(sum) S(0) P(sum)", "S(1) S(0) R",
       "(P(sum), S(0), P(sum)) -> (P(sum), S(0), R) -> (S(1), S(0), R)"},
  });
}

TEST(GreedyPlanner, PartialsReduceFromTheOutsideWhereNothingIsSharded) {
  expectPlans({
      {"P(sum) P(sum)", "R R", "(P(sum), P(sum)) -> (R, P(sum)) -> (R, R)"},
      {"P(sum) P(sum)", "S(0) S(0)", "(P(sum), P(sum)) -> (S(0), P(sum)) -> (S(0), S(0))"},
      {"R P(sum)", "S(0) R", "(R, P(sum)) -> (S(0), P(sum)) -> (S(0), R)"},
      {"P(sum) S(0)", "R R", "(P(sum), S(0)) -> (P(sum), R) -> (R, R)"},
      {"P(sum) S(0)", "S(0) R", "(P(sum), S(0)) -> (P(sum), R) -> (S(0), R)"},
      {"P(sum) S(0)", "S(0) S(0)", "(P(sum), S(0)) -> (P(sum), R) -> (S(0), R) -> (S(0), S(0))"},
      {"S(0) P(sum)", "S(0) S(0)", "(S(0), P(sum)) -> (S(0), S(0))"},
  });
}

// Returns all lists of n of these placements, as text.
std::vector<std::string> lists(const std::vector<std::string>& choices, int n) {
  if (n == 0) return {""};
  std::vector<std::string> all;
  for (const auto& shorter : lists(choices, n - 1)) {
    for (const auto& choice : choices) all.push_back(shorter + " " + choice);
  }
  return all;
}

TEST(GreedyPlanner, EveryPlanArrivesInExactSteps) {
  for (const int ndim : {1, 2, 3}) {
    const auto mesh = meshOf(std::vector<int>(static_cast<std::size_t>(ndim), 2));
    const auto all = lists({"R", "S(0)", "S(1)", "P(sum)"}, ndim);
    for (const auto& from : all) {
      const Spec current = specOf(mesh, {8, 8}, from);
      for (const auto& to : all) {
        const auto plan = planGreedy(current, placementsOf(to));
        ASSERT_TRUE(plan) << plan.error().message;
        ASSERT_TRUE(isExact(current, placementsOf(to), *plan));
      }
    }
  }
}

TEST(EveryPlanner, ArrivesInExactStepsFromPartialsOfOneKindAtThoseOfAnother) {
  const auto mesh = meshOf({2, 2, 2});
  for (const auto& from : lists({"R", "S(0)", "P(product)"}, 3)) {
    const Spec current = specOf(mesh, {8, 8}, from);
    for (const auto& to : lists({"R", "S(1)", "P(sum)"}, 3)) {
      const bool possible = planGreedy(current, placementsOf(to)).has_value();
      for (const auto kind : kPlanners) {
        const auto plan = makePlan(kind, {}, current, placementsOf(to));
        ASSERT_EQ(plan.has_value(), possible) << from << " to " << to;
        if (plan) {
          ASSERT_TRUE(isExact(current, placementsOf(to), *plan));
        }
      }
    }
  }
}

TEST(GreedyPlanner, RefusesInDTensorsWords) {
  expectPlans({
      {"P(bor)", "R",
       "redistribute from P(bor) to R not supported yet: got float32, expected whole numbers or "
       "bool"},
      {"P(sum)", "P(max)",
       "Redistribution from one partial type (P(sum)) to another (P(max)) is unsupported."},
      {"P(sum)", "MaskP(sum,[4],0)",
       "Redistribution from one partial type (P(sum)) to another (MaskP(sum, [4], 0)) is "
       "unsupported."},
      {"MaskP(sum,[4],0)", "P(max)",
       "Redistribution from one partial type (MaskP(sum, [4], 0)) to another (P(max)) is "
       "unsupported."},
      {"S(0)", "P(avg)",
       "Can not redistribute from S(0) to P(avg), only Shard to Partial(sum) redistribution is "
       "supported!"},
      {"R", "P(product)", "Replicate to P(product) conversion is not supported."},
      {"R", "P(premul_sum,0.5)", "Replicate to P(premul_sum, 0.5) conversion is not supported."},
      {"R", "P(bxor)", "Replicate to P(bxor) conversion is not supported."},
      {"NormP(2)", "P(sum)",
       "Redistribution from one partial type (NormP(2)) to another (P(sum)) is unsupported."},
      {"S(0)", "NormP(2)",
       "Can not redistribute from S(0) to NormP(2), only Shard to Partial(sum) redistribution is "
       "supported!"},
  });
}

TEST(GreedyPlanner, RefusesTypesThatCannotBeReducedSo) {
  for (const auto* partial : {"NormP(2)", "P(premul_sum, 0.5)"}) {
    const std::string written = toText(parsePlacement(partial).value());
    EXPECT_EQ(planned(partial == std::string("NormP(2)") ? partial : "P(premul_sum,0.5)", "R",
                      DType::Int64),
              "redistribute from " + written +
                  " to R not supported yet: got int64, expected floating-point numbers");
  }
  EXPECT_EQ(planned("P(avg)", "R", DType::Bool),
            "redistribute from P(avg) to R not supported yet: got bool, expected numbers");
  EXPECT_EQ(planned("P(avg)", "R", DType::Int64), "P(avg) -> R");
  EXPECT_EQ(planned("P(bor)", "R", DType::Bool), "P(bor) -> R");
}

TEST(GreedyPlanner, EveryStepIsExactOnUnevenAndStridedOnes) {
  RandomJourneys journeys(5);
  for (int i = 0; i < 3000; ++i) {
    const auto [from, to] = journeys.next();
    const auto plan = planGreedy(from, to);
    if (plan) {
      ASSERT_TRUE(isExact(from, to, *plan));
    }
  }
}

// The message names the refused step's placements, at any position in the plan.
TEST(GreedyPlanner, RefusesAStepFurtherIn) {
  EXPECT_EQ(planned("S(0) P(sum)", "R P(min)"),
            "Redistribution from one partial type (P(sum)) to another (P(min)) is unsupported.");
}

TEST(DecomposePlanner, ChangesAShardViaReplicate) {
  expectPlans(
      {
          {"R", "R", "R"},
          {"S(0)", "S(1)", "S(0) -> R -> S(1)"},
          {"S(0)", "SS(0,2)", "S(0) -> R -> SS(0, 2)"},
          {"S(0)", "P(sum)", "S(0) -> P(sum)"},
          {"P(sum)", "S(0)", "P(sum) -> S(0)"},
          {"S(0) S(1)", "S(1) S(0)",
           "(S(0), S(1)) -> (S(0), R) -> (R, R) -> (S(1), R) -> (S(1), S(0))"},
          {"S(0) S(0)", "R S(0)", "(S(0), S(0)) -> (S(0), R) -> (R, R) -> (R, S(0))"},
          {"S(0) S(1)", "S(0) S(2)", "(S(0), S(1)) -> (S(0), R) -> (S(0), S(2))"},
          {"P(sum) P(sum)", "S(0) R", "(P(sum), P(sum)) -> (S(0), P(sum)) -> (S(0), R)"},
          {"R P(sum)", "S(0) R", "(R, P(sum)) -> (S(0), P(sum)) -> (S(0), R)"},
          // Both shards of tensor dimension 0 are second in order before and after, but of
          // different parts.
          {"S(0) R S(0)", "R S(0) S(0)",
           "(S(0), R, S(0)) -> (S(0), R, R) -> (R, R, R) -> (R, S(0), R) -> (R, S(0), S(0))"},
          {"P(sum)", "P(max)",
           "Redistribution from one partial type (P(sum)) to another (P(max)) is unsupported."},
      },
      PlannerKind::Decompose);
}

TEST(DecomposePlanner, EveryStepIsExact) {
  RandomJourneys journeys(6);
  for (int i = 0; i < 3000; ++i) {
    const auto [from, to] = journeys.next();
    const auto plan = planDecomposed(from, to);
    if (plan) {
      ASSERT_TRUE(isExact(from, to, *plan));
    }
  }
}

}  // namespace
}  // namespace shardlens
