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

TEST(RankMap, GivesRanksOnOneGpuOneSeatOrSeveral) {
  const auto places = spreadOverGpus(4, 2);
  const RankMap one(places, 0, RanksPerGpu::OneSeat);
  EXPECT_EQ(one.seats().size(), 2U);
  EXPECT_EQ(one.seats()[1].ranks, (std::vector{2, 3}));
  EXPECT_EQ(one.seatsOf({3, 1, 2}), (NcclRankSet{0, 1}));
  EXPECT_EQ(one.ranksAt(1, {3, 0, 2}), (std::vector{3, 2}));
  EXPECT_FALSE(one.crowdsGpus());
  const RankMap each(places, 0, RanksPerGpu::SeatEach);
  EXPECT_EQ(each.seats().size(), 4U);
  EXPECT_EQ(each.seats()[3].place.device, 1);
  EXPECT_TRUE(each.crowdsGpus());
}

TEST(RankMap, KnowsTheSeatsOfOtherProcesses) {
  const RankMap seating({{0, 0}, {1, 0}, {1, 1}}, 1, RanksPerGpu::OneSeat);
  EXPECT_EQ(seating.all(), (NcclRankSet{0, 1, 2}));
  EXPECT_EQ(seating.own(), (NcclRankSet{1, 2}));
  EXPECT_FALSE(seating.isOwn(0));
  EXPECT_TRUE(seating.isOwn(2));
}

TEST(InRounds, KeepsSetsApartThatShareASeat) {
  const std::vector<NcclRankSet> apart = {{0, 1}, {2, 3}, {0, 1}};
  EXPECT_EQ(inRounds(apart), (std::vector<std::vector<NcclRankSet>>{{{0, 1}, {2, 3}}}));
  const std::vector<NcclRankSet> chain = {{0, 1}, {1, 2}, {2, 3}};
  EXPECT_EQ(inRounds(chain), (std::vector<std::vector<NcclRankSet>>{{{0, 1}, {2, 3}}, {{1, 2}}}));
  EXPECT_TRUE(inRounds({}).empty());
}

}  // namespace
}  // namespace shardlens
