#include "core/comm/nccl/device/rank_map.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

std::vector<int> devicesOf(const std::vector<GpuPlace>& places) {
  std::vector<int> devices;
  for (const auto& place : places) devices.push_back(place.device);
  return devices;
}

TEST(SpreadOverGpus, GivesNeighboursOneGpuAndUsesAllEvenly) {
  EXPECT_EQ(devicesOf(spreadOverGpus(4, 4)), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(devicesOf(spreadOverGpus(4, 8)), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(devicesOf(spreadOverGpus(4, 2)), (std::vector{0, 0, 1, 1}));
  EXPECT_EQ(devicesOf(spreadOverGpus(5, 2)), (std::vector{0, 0, 0, 1, 1}));
  EXPECT_EQ(devicesOf(spreadOverGpus(3, 1)), (std::vector{0, 0, 0}));
}

TEST(RankMap, GivesTheRanksOfAGpuOneNcclRank) {
  const RankMap rankMap(spreadOverGpus(4, 2), 0);
  EXPECT_EQ(rankMap.ncclRanks().size(), 2U);
  EXPECT_EQ(rankMap.ncclRanks()[1].ranks, (std::vector{2, 3}));
  EXPECT_EQ(rankMap.ncclRanksOf({3, 1, 2}), (NcclRankSet{0, 1}));
  EXPECT_EQ(rankMap.ranksAt(1, {3, 0, 2}), (std::vector{3, 2}));
}

TEST(RankMap, NumbersTheNcclRanksOfAllProcesses) {
  const RankMap rankMap({{0, 0}, {1, 0}, {1, 1}}, 1);
  EXPECT_EQ(rankMap.all(), (NcclRankSet{0, 1, 2}));
  EXPECT_EQ(rankMap.own(), (NcclRankSet{1, 2}));
  EXPECT_FALSE(rankMap.isOwn(0));
  EXPECT_TRUE(rankMap.isOwn(2));
}

TEST(InBatches, SeparatesSetsThatShareAnNcclRank) {
  const std::vector<NcclRankSet> apart = {{0, 1}, {2, 3}, {0, 1}};
  EXPECT_EQ(inBatches(apart), (std::vector<std::vector<NcclRankSet>>{{{0, 1}, {2, 3}}}));
  const std::vector<NcclRankSet> chain = {{0, 1}, {1, 2}, {2, 3}};
  EXPECT_EQ(inBatches(chain), (std::vector<std::vector<NcclRankSet>>{{{0, 1}, {2, 3}}, {{1, 2}}}));
  EXPECT_TRUE(inBatches({}).empty());
}

}  // namespace
}  // namespace shardlens
