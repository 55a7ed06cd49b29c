#include "core/view/tables/placement_costs.h"

#include "core/view/words/placement_words.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace shardlens::view {
namespace {

PlacementCost cost(const Placement& placement, std::int64_t nanoseconds, std::int64_t bytes,
                   std::int64_t held) {
  return {.placements = {placement, Replicate{}},
          .mesh = DeviceMesh::make({2, 4}, {"dp", "tp"}).value(),
          .dimensions = 2,
          .sent = {.name = {},
                   .collectives = {{"all_gather", 2}},
                   .bytes = bytes,
                   .nanoseconds = nanoseconds,
                   .implicit = 1},
          .held = held};
}

PlacementCost refused(const Placement& placement) {
  PlacementCost one = cost(placement, 0, 0, 0);
  one.refusal = "step y: it does not fit";
  return one;
}

std::vector<std::string> ranked(std::vector<PlacementCost> costs) {
  rankByCost(costs);
  std::vector<std::string> names;
  for (const auto& each : costs) names.push_back(toText(each.placements.front()));
  return names;
}

TEST(PlacementCosts, RankByTimeThenBytesThenMemoryAndLeaveTheRefusedToTheEnd) {
  EXPECT_EQ(ranked({refused(Shard{0}), cost(Shard{1}, 2, 1, 1), cost(Shard{2}, 1, 2, 1),
                    cost(Shard{3}, 1, 1, 2), cost(Shard{4}, 1, 1, 1), cost(Shard{5}, 1, 1, 1)}),
            (std::vector<std::string>{"S(4)", "S(5)", "S(3)", "S(2)", "S(1)", "S(0)"}));
}

TEST(PlacementCosts, AreComparedWithTheUnchangedProgram) {
  std::vector<PlacementCost> costs{cost(Replicate{}, 1000, 48, 96), cost(Shard{0}, 3000, 48, 24),
                                   refused(Shard{1})};
  costs[1].isNow = true;
  const Table table = placementCostsTable(costs);
  const auto difference = [&](std::size_t row) {
    return table.rows[row].cells[PlacementCostsTable::Difference].text;
  };
  EXPECT_EQ(difference(0), "2.0 us less");
  EXPECT_EQ(difference(1), "now");
  EXPECT_EQ(difference(2), "refused: step y: it does not fit");
  EXPECT_EQ(table.rows[0].cells[PlacementCostsTable::Placements].text, "R, R");
  EXPECT_TRUE(table.rows[1].marked);
  EXPECT_EQ(cheapestText(costs), "R, R is cheapest: 2.0 us less than S(0), R (now)");
  costs.erase(costs.begin());
  EXPECT_EQ(cheapestText(costs), "S(0), R (now) is as cheap as any");
  costs.front().refusal = "step y: it does not fit";
  EXPECT_EQ(cheapestText(costs), "the program is refused for every placement of the tensor");
}

// The costs are equal and only the memory differs, so neither is called cheaper.
TEST(PlacementCosts, OfTheSameCostAreNoneCheaper) {
  std::vector<PlacementCost> costs{cost(Shard{0}, 1, 1, 1), cost(Replicate{}, 1, 1, 2)};
  costs[1].isNow = true;
  EXPECT_EQ(cheapestText(costs), "R, R (now) is as cheap as any");
}

TEST(PlacementCosts, UseTheNotationOfTheProgram) {
  std::vector<PlacementCost> costs{cost(Shard{0}, 1, 1, 1), refused(Shard{1})};
  costs[0].isNow = true;
  const auto text = [&](Notation each) {
    setNotation(each);
    const Table table = placementCostsTable(costs);
    const auto names = table.rows[0].cells[0].text + "; " + table.rows[1].cells[0].text + "; " +
                       cheapestText(costs);
    setNotation(Notation::DTensor);
    return names;
  };
  EXPECT_EQ(text(Notation::DTensor), "S(0), R; S(1), R; S(0), R (now) is as cheap as any");
  EXPECT_EQ(text(Notation::NamedAxes),
            "dp:S(0) tp:R; dp:S(1) tp:R; dp:S(0) tp:R (now) is as cheap as any");
  EXPECT_EQ(text(Notation::PartitionSpec),
            "P('dp', None); P(None, 'dp'); P('dp', None) (now) is as cheap as any");
}

TEST(PlacementCosts, ComeBackFromJson) {
  PlacementCost one = cost(Shard{0}, 6604, 48, 24);
  one.isNow = true;
  const auto read = placementCostOf(toJson(one));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->placements, one.placements);
  EXPECT_EQ(read->mesh, one.mesh);
  EXPECT_EQ(read->dimensions, 2U);
  EXPECT_TRUE(read->isNow);
  EXPECT_EQ(read->sent, one.sent);
  EXPECT_EQ(read->held, 24);
  EXPECT_EQ(placementCostOf(toJson(refused(Replicate{})))->refusal, "step y: it does not fit");
  EXPECT_FALSE(placementCostOf({{"placements", "R"}}));
  auto other = toJson(one);
  other["placements"][0] = "X";
  EXPECT_FALSE(placementCostOf(other));
  other = toJson(one);
  other["mesh"] = "2x";
  EXPECT_FALSE(placementCostOf(other));
  EXPECT_FALSE(placementCostOf(nlohmann::ordered_json::array()));
}

}  // namespace
}  // namespace shardlens::view
