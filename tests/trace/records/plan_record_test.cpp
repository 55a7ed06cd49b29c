#include "core/trace/records/plan_record.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

PlanRecord twoSteps() {
  return {
      .steps = {{"dp_tp", -1, "S(0), S(0)", "R, R", "all_gather", "(R, R)", 96, 7.25},
                {"tp", 1, "R", "S(0)", "slice", "(R, S(0))", 0, 0}},
      .planner = "min-cost",
      .explored = 5,
      .alternatives = {
          {"min-cost", "(S(0), S(0)) -> (R, R) -> (R, S(0))", 1, 96, 7.25, 256, true},
          {"greedy", "(S(0), S(0)) -> (S(0), R) -> (R, R) -> (R, S(0))", 2, 96, 14.5, 192, false}}};
}

TEST(PlanRecord, IsReadAsItWasWritten) {
  EXPECT_EQ(readPlan(planDetail(twoSteps())), twoSteps());
  PlanRecord stopped = twoSteps();
  stopped.caveat = "the search stopped after 4096 states";
  EXPECT_EQ(readPlan(planDetail(stopped)), stopped);
  PlanRecord unexplained = twoSteps();
  unexplained.planner.clear();
  unexplained.explored.reset();
  unexplained.alternatives.clear();
  EXPECT_EQ(readPlan(planDetail(unexplained)), unexplained);
  EXPECT_EQ(readPlan(planDetail({})), PlanRecord());
}

// Readers of format 1.0 find its fields: the axis of each step, and its placements.
TEST(PlanRecord, HasTheFieldsOfOlderReaders) {
  EXPECT_EQ(planDetail({.steps = {{"tp", 1, "R", "S(0)", "slice", "(R, S(0))", 0, 0}}}),
            R"_([{"mesh_dim":1,"axis":"tp","from":"R","to":"S(0)","move":"slice",)_"
            R"_("after":"(R, S(0))","bytes":0.0,"microseconds":0.0}])_");
}

TEST(PlanRecord, OfAnOlderRecordingHasNoMoves) {
  const auto plan = readPlan(R"_([{"mesh_dim": 0, "axis": "tp", "from": "S(0)", "to": "R"}])_");
  EXPECT_EQ(plan, (PlanRecord{.steps = {{"tp", 0, "S(0)", "R", "", "", 0, 0}}}));
}

TEST(PlanRecord, ReadsAlternativesUnderTheirOldKey) {
  const auto plan = readPlan(R"([{"explained": {"ways": [{"name": "greedy", "chosen": true}]}}])");
  ASSERT_EQ(plan.alternatives.size(), 1U);
  EXPECT_EQ(plan.alternatives[0].name, "greedy");
}

TEST(PlanRecord, OmitsInvalidFields) {
  EXPECT_EQ(readPlan(""), PlanRecord());
  EXPECT_EQ(readPlan("{}"), PlanRecord());
  EXPECT_EQ(readPlan(R"([7, "x", null])"), PlanRecord());
  const auto plan =
      readPlan(R"([{"axis": 3, "bytes": "many", "explained": {"alternatives": [1, {}]}}])");
  ASSERT_EQ(plan.steps.size(), 1U);
  EXPECT_EQ(plan.steps[0], PlanStepRecord());
  EXPECT_EQ(plan.alternatives, (std::vector<AlternativeRecord>{{}}));
}

}  // namespace
}  // namespace shardlens
