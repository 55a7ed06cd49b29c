// Rows that have one owner each are moved instead of summed as partial values, at a separate price.

#include "core/plan/row_moves.h"

#include "core/plan/explain.h"
#include "tests/plan/exact.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace shardlens {
namespace {

// Returns the moves as "all_gather_rows over 0, slice over 1".
std::string movesOf(const Plan& plan) {
  std::string text;
  for (const auto& step : plan) {
    text += (text.empty() ? "" : ", ") + std::string(moveName(step.move)) + " over";
    for (const int dim : step.meshDims) text += " " + std::to_string(dim);
  }
  return text;
}

std::string planned(const std::vector<int>& mesh, const std::string& from, const std::string& to,
                    PartialKind terms = PartialKind::OwnedRows) {
  const Spec current = specOf(meshOf(mesh), {4096, 64}, from);
  return movesOf(makePlan(PlannerKind::MinCost, {}, current, placementsOf(to), terms).value());
}

TEST(RowMoves, TakeTheReductionsPlace) {
  const std::string masked = "MaskP(sum,[1000,64],0)";
  EXPECT_EQ(planned({4}, masked, "R"), "all_gather_rows over 0");
  EXPECT_EQ(planned({4}, masked, "S(0)"), "all_to_all_rows over 0");
  EXPECT_EQ(planned({2, 2}, masked + " " + masked, "R R"), "all_gather_rows over 0 1");
  EXPECT_EQ(planned({2, 4}, "R " + masked, "R S(1)"), "all_to_all_rows over 1");
  EXPECT_EQ(planned({4}, masked, "R", PartialKind::Any), "all_reduce over 0");
  EXPECT_EQ(planned({4}, masked, "S(0)", PartialKind::Any), "reduce_scatter over 0");
}

// A plan with further collectives uses no row moves.
TEST(RowMoves, AreNotMadeAmongOtherCollectives) {
  const std::string masked = "MaskP(sum,[1000,64],0)";
  EXPECT_EQ(planned({2, 2}, masked + " S(0)", "R S(1)"),
            planned({2, 2}, masked + " S(0)", "R S(1)", PartialKind::Any));
  EXPECT_EQ(planned({2, 2}, masked + " S(1)", "R R"), "all_reduce over 0, all_gather over 1");
  EXPECT_EQ(planned({1, 4}, masked + " R", "R R"), "all_reduce over 0");
  EXPECT_EQ(planned({4}, "P(sum)", "R"), "all_reduce over 0");
}

// The tensor has 1 MiB. Each of four ranks owns a quarter and receives three; an all_reduce
// receives these twice.
TEST(RowMoves, HaveTheirOwnPrice) {
  const Spec current = specOf(meshOf({4}), {4096, 64}, "MaskP(sum,[1000,64],0)");
  const auto why =
      explain(PlannerKind::MinCost, {}, current, placementsOf("R"), PartialKind::OwnedRows).value();
  EXPECT_EQ(movesOf(why.chosen.plan), "all_gather_rows over 0");
  EXPECT_EQ(why.chosen.total.received, 3 << 18);
  const auto terms = std::find_if(why.alternatives.begin(), why.alternatives.end(),
                                  [](const auto& plan) { return plan.name == "adding partials"; });
  ASSERT_NE(terms, why.alternatives.end());
  EXPECT_EQ(movesOf(terms->plan), "all_reduce over 0");
  EXPECT_EQ(terms->total.received, 6 << 18);
  EXPECT_LT(why.chosen.total.microseconds, terms->total.microseconds);
  const auto scattered =
      explain(PlannerKind::MinCost, {}, current, placementsOf("S(0)"), PartialKind::OwnedRows)
          .value();
  EXPECT_EQ(scattered.chosen.total.received, 3 << 16);
}

TEST(RowMoves, AreWorthItFromSixteenKibibytesARank) {
  const auto worth = [](std::int64_t rows, const std::string& placements) {
    return isWorthMovingRows(specOf(meshOf({4}), {rows, 1024}, placements));
  };
  EXPECT_TRUE(worth(16, "MaskP(sum,[10,1024],0)"));
  EXPECT_FALSE(worth(15, "MaskP(sum,[10,1024],0)"));
  EXPECT_FALSE(worth(16, "P(sum)"));
}

}  // namespace
}  // namespace shardlens
