#include "core/ops/halo.h"

#include "core/ops/propagator.h"
#include "tests/ops/written_call.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

Spec imageOf(Shape shape, Placements placements, std::vector<int> mesh) {
  return {std::make_shared<DeviceMesh>(*DeviceMesh::make(std::move(mesh))),
          std::move(placements),
          {shape, contiguousStrides(shape)}};
}

// Returns the parts as "0+5 -1+7, 5+4 5+5": for each rank its own range and the range that its
// windows cover, as begin+length.
std::string partsOf(const Halo& halo) {
  const auto text = [](const Chunk& part) {
    return std::to_string(part.begin) + "+" + std::to_string(part.length);
  };
  std::string parts;
  for (const auto& [own, over] : halo.parts) {
    parts += (parts.empty() ? "" : ", ") + text(own) + " " + text(over);
  }
  return parts;
}

std::string alongOne(std::int64_t places, std::int64_t count, int ranks, Windows windows) {
  const auto halos =
      halosOf(imageOf({1, 1, places}, {Shard{2}}, {ranks}), {1, 1, count}, {windows});
  return halos ? partsOf(halos->front()) : "beyond a neighbour";
}

TEST(Halo, HasTheElementsOfNeighboursThatWindowsCover) {
  EXPECT_EQ(alongOne(9, 5, 2, {2, 1, 3}), "0+5 -1+7, 5+4 5+5");
  EXPECT_EQ(alongOne(8, 8, 4, {1, 1, 3}), "0+2 -1+4, 2+2 1+4, 4+2 3+4, 6+2 5+4");
  EXPECT_EQ(alongOne(8, 6, 4, {1, 0, 3}), "0+2 0+4, 2+2 2+4, 4+2 4+4, 6+2 6+0");
  EXPECT_EQ(alongOne(3, 3, 4, {1, 0, 1}), "0+1 0+1, 1+1 1+1, 2+1 2+1, 3+0 3+0");
}

TEST(Halo, EndsAtNeighbours) {
  EXPECT_EQ(alongOne(4, 4, 2, {1, 2, 5}), "0+2 -2+6, 2+2 0+6");
  EXPECT_EQ(alongOne(4, 4, 4, {1, 1, 3}), "0+1 -1+3, 1+1 0+3, 2+1 1+3, 3+1 2+3");
  EXPECT_EQ(alongOne(4, 4, 4, {1, 2, 5}), "beyond a neighbour");
  EXPECT_EQ(alongOne(4, 4, 4, {1, 2, 3}), "beyond a neighbour");  // only on the left
  EXPECT_EQ(alongOne(4, 4, 4, {1, 0, 3}), "beyond a neighbour");  // only on the right
  EXPECT_EQ(alongOne(4, 4, 1, {1, 2, 5}), "0+4 -2+8");
}

TEST(Halo, OfNestedShardsIsBetweenNeighbours) {
  const auto halos =
      halosOf(imageOf({1, 1, 7}, {Shard{2}, Shard{2}}, {2, 2}), {1, 1, 7}, {{1, 1, 3}});
  ASSERT_EQ(halos->size(), 1U);
  EXPECT_EQ(halos->front().meshDims, (std::vector<int>{0, 1}));
  EXPECT_EQ(partsOf(halos->front()), "0+2 -1+4, 2+2 1+4, 4+2 3+4, 6+1 5+3");
}

TEST(Halo, LaterOnesHoldTheCornersOfEarlierOnes) {
  const auto halos = halosOf(imageOf({2, 3, 8, 6}, {Shard{3}, Shard{2}}, {2, 2}), {2, 3, 8, 6},
                             {{1, 1, 3}, {1, 2, 5}});
  ASSERT_EQ(halos->size(), 2U);
  EXPECT_EQ((*halos)[0].tensorDim, 2);
  EXPECT_EQ((*halos)[0].bytes, 2 * 3 * 1 * 3 * 4);
  EXPECT_EQ((*halos)[1].tensorDim, 3);
  EXPECT_EQ((*halos)[1].bytes, 2 * 3 * 6 * 2 * 4);
}

TEST(Halo, SendsNothingWhereWindowsStayAtHome) {
  const auto halos = halosOf(imageOf({1, 2, 8}, {Shard{2}}, {2}), {1, 2, 4}, {{2, 0, 2}});
  EXPECT_EQ(halos->front().bytes, 0);
}

TEST(Halo, ComputesTheReachOfWindows) {
  const auto halos = halosOf(imageOf({1, 1, 9}, {Shard{2}}, {3}), {1, 1, 9}, {{1, 2, 4}});
  EXPECT_EQ(reachText(halos->front()),
            "dim 2: windows of 4 by steps of 1 reach 2 before a rank's own and 1 after");
}

TEST(Halo, IsPaidForAndBeatsGathering) {
  const auto each = [](std::int64_t number) { return std::vector<std::int64_t>{number}; };
  const auto found = propagate(schemaOf({"aten.convolution",
                                         {{{1, 4, 64}, "S(2)"}, {{4, 4, 3}, "R"}},
                                         {1, 4, 64},
                                         {{"stride", each(1)},
                                          {"padding", each(1)},
                                          {"dilation", each(1)},
                                          {"transposed", false},
                                          {"output_padding", each(0)},
                                          {"groups", std::int64_t{1}}}}),
                               findRule("aten.convolution"), CostModel(), Reasons::Include);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->chosen.name, "places with a halo");
  EXPECT_EQ(found->chosen.bytes, 16);
  const auto rate = linkRate(CostModel(), *DeviceMesh::make({2}), {0});
  EXPECT_DOUBLE_EQ(found->chosen.cost, rate.microseconds + 16 * rate.microsecondsPerByte);
  EXPECT_EQ(found->chosen.haloCost, found->chosen.cost);
  EXPECT_GT(found->candidates[1].cost, found->chosen.cost);
}

}  // namespace
}  // namespace shardlens
