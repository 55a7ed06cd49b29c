#include "core/view/tables/run_costs.h"

#include <gmock/gmock.h>

namespace shardlens::view {
namespace {

StepCost cost(std::map<std::string, int> collectives, std::int64_t bytes,
              std::int64_t nanoseconds = 0, int implicit = 0) {
  return {"", std::move(collectives), bytes, nanoseconds, implicit};
}

TEST(RunCosts, ShowTheDifference) {
  const StepCost one = cost({{"all_gather", 1}}, 96, 3000, 1);
  EXPECT_EQ(costsDifference(one, one), "unchanged");
  EXPECT_EQ(costsDifference(one, cost({}, 0)), "96 B less, 3.0 us less, 1 implicit fewer");
  EXPECT_EQ(costsDifference(cost({}, 0), one), "96 B more, 3.0 us more, 1 implicit more");
  EXPECT_EQ(costsDifference(one, cost({{"all_reduce", 1}}, 96, 3000, 1)), "different collectives");
}

// Estimates are rounded to nanoseconds.
TEST(RunCosts, LeaveOutDifferencesOfRounding) {
  const StepCost one = cost({{"all_gather", 1}}, 96, 30'000);
  StepCost other = cost({{"all_gather", 1}}, 96, 30'001);
  EXPECT_EQ(costsDifference(one, other), "unchanged");
  const Cell last = costsTable({.steps = {one}}, {.steps = {other}}).rows[0].cells.back();
  EXPECT_EQ(last.tone, Tone::Quiet);
  other.nanoseconds = 30'030;
  EXPECT_EQ(costsDifference(one, other), "30 ns more");
}

TEST(RunCosts, ListTheStepsThatCommunicateInEitherAndTheTotal) {
  RunCosts before;
  before.steps = {cost({}, 0), cost({{"all_gather", 2}}, 96), cost({}, 0)};
  RunCosts after;
  after.steps = {cost({}, 0), cost({}, 0), cost({{"all_reduce", 1}}, 8)};
  after.steps[1].name = "z = redistribute(y, R)";
  const Table table = costsTable(before, after);
  ASSERT_EQ(table.rows.size(), 3);
  const auto texts = [&](std::size_t row) {
    std::string text;
    for (const Cell& cell : table.rows[row].cells) text += "|" + cell.text;
    return text;
  };
  EXPECT_EQ(texts(0), "|z = redistribute(y, R)|2 all_gather|nothing|96 B|0 B|96 B less");
  EXPECT_EQ(texts(1), "||nothing|1 all_reduce|0 B|8 B|8 B more");
  EXPECT_EQ(texts(2), "|all|2 all_gather|1 all_reduce|96 B|8 B|88 B less");
}

TEST(RunCosts, LeaveOutEqualStepsIfOthersDiffer) {
  RunCosts before;
  before.steps = {cost({{"all_gather", 2}}, 96), cost({{"all_reduce", 1}}, 8)};
  EXPECT_EQ(costsTable(before, before).rows.size(), 3);
  RunCosts after = before;
  after.steps[1].bytes = 4;
  const Table table = costsTable(before, after);
  ASSERT_EQ(table.rows.size(), 2);
  EXPECT_EQ(table.rows[0].cells.back().text, "4 B less");
}

}  // namespace
}  // namespace shardlens::view
