#include "core/plan/cost.h"

#include "core/plan/planner.h"
#include "tests/model/written.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

// Round numbers: sending one GiB takes one second within a host of eight ranks, and two seconds
// between hosts.
constexpr CostModel kModel = {.ranksPerHost = 8,
                              .bandwidth = 1,
                              .latency = 2,
                              .betweenHostsBandwidth = 0.5,
                              .betweenHostsLatency = 8,
                              .startup = 16};
constexpr std::int64_t kMatrixSide = 1 << 14;  // a square float32 tensor with this side has one GiB

struct Moved {
  std::string from;
  std::string to;
};

std::optional<double> cost(const std::vector<int>& mesh, const Moved& moved,
                           CostModel model = kModel) {
  const Spec current = specOf(meshOf(mesh), {kMatrixSide, kMatrixSide}, moved.from);
  return implicitCost(model, current, planGreedy(current, placementsOf(moved.to)).value());
}

TEST(Cost, OfEachStepOnFourRanks) {
  EXPECT_EQ(cost({4}, {"S(0)", "R"}), 16 + 3 * 2 + 750000);
  EXPECT_EQ(cost({4}, {"P(sum)", "R"}), 16 + 6 * 2 + 1500000);
  EXPECT_EQ(cost({4}, {"MaskP(sum,[4],0)", "R"}), 16 + 6 * 2 + 1500000);
  EXPECT_EQ(cost({4}, {"P(sum)", "S(0)"}), 16 + 3 * 2 + 750000);
  EXPECT_EQ(cost({4}, {"S(0)", "S(1)"}), 16 + 3 * 2 + 187500 + 1);
}

TEST(Cost, IsZeroForLocalSteps) {
  EXPECT_EQ(cost({4}, {"R", "R"}), 0);
  EXPECT_EQ(cost({4}, {"R", "S(0)"}), 0);
  EXPECT_EQ(cost({4}, {"R", "P(sum)"}), 0);
}

TEST(Cost, IsNoneWhereAShardBecomesAPartial) {
  EXPECT_EQ(cost({4}, {"S(0)", "P(sum)"}), std::nullopt);
  EXPECT_EQ(cost({2, 2}, {"S(0) R", "P(sum) S(0)"}), std::nullopt);
}

TEST(Cost, FollowsTheSizeOfTheLocalTensor) {
  EXPECT_EQ(cost({2, 4}, {"P(sum) P(sum)", "S(0) S(0)"}),
            (16 + 1 * 2 + 500000) + (16 + 3 * 2 + 375000));
  EXPECT_EQ(cost({2, 4}, {"S(0) S(0)", "R S(0)"}), (16 + 3 * 2 + 375000) + (16 + 1 * 2 + 500000));
  // The tensor is sharded first, so only half of it is reduced.
  EXPECT_EQ(cost({2, 4}, {"R P(sum)", "S(0) R"}), 16 + 6 * 2 + 750000);
}

TEST(Cost, AMeshDimensionLeavesTheHostWhenItAndThoseRightOfItAreMoreThanAHostHas) {
  CostModel model = kModel;
  model.ranksPerHost = 4;
  EXPECT_EQ(cost({4}, {"S(0)", "R"}, model), 16 + 3 * 2 + 750000);
  EXPECT_EQ(cost({2, 4}, {"R S(0)", "R R"}, model), 16 + 3 * 2 + 750000);
  EXPECT_EQ(cost({2, 4}, {"S(0) R", "R R"}, model), 16 + 1 * 8 + 1000000);
  model.ranksPerHost = 3;
  EXPECT_EQ(cost({4}, {"S(0)", "R"}, model), 16 + 3 * 8 + 1500000);
}

TEST(Cost, HasDTensorsFigures) {
  const Spec current = specOf(meshOf({4}), {8, 8}, "S(0)");
  const auto plan = planGreedy(current, placementsOf("R")).value();
  EXPECT_NEAR(implicitCost({}, current, plan).value(), 14.70926785, 1e-8);
  EXPECT_NEAR(implicitCost({.ranksPerHost = 8}, current, plan).value(), 8.40203893, 1e-8);
}

Price price(const std::vector<int>& mesh, const Moved& moved, CostModel model = kModel) {
  const Spec current = specOf(meshOf(mesh), {kMatrixSide, kMatrixSide}, moved.from);
  return priceOf(model, current, planGreedy(current, placementsOf(moved.to)).value());
}

TEST(Price, HasNoExtraForAnAllToAllAndNothingForGroupsOfOne) {
  EXPECT_EQ(price({4}, {"S(0)", "S(1)"}).microseconds, 16 + 3 * 2 + 187500);
  EXPECT_EQ(price({4}, {"SS(0,2)", "R"}).microseconds, 16 + 3 * 2 + 750000);
  EXPECT_EQ(price({1, 4}, {"P(sum) S(0)", "R S(0)"}).microseconds, 0);
  EXPECT_EQ(cost({1, 4}, {"P(sum) S(0)", "R S(0)"}), 16);
}

TEST(Price, PeaksWhereAStepReadsAndMakesMost) {
  constexpr double kGiB = 1 << 30;
  EXPECT_EQ(price({4}, {"R", "R"}).peak, kGiB);
  EXPECT_EQ(price({4}, {"S(0)", "R"}).peak, kGiB * 1.25);
  EXPECT_EQ(price({4}, {"S(0)", "S(1)"}).peak, kGiB / 2);
  EXPECT_EQ(price({4}, {"P(sum)", "R"}).peak, kGiB * 2);
  EXPECT_EQ(price({4}, {"MaskP(sum,[4],0)", "P(sum)"}).peak, kGiB);
  EXPECT_EQ(price({2, 4}, {"S(0) S(0)", "R S(0)"}).peak, kGiB * 1.5);
}

TEST(Price, OfAFlattenedGroupIsThatOfItsSlowestLink) {
  const auto mesh = meshOf({2, 4});
  const TensorMeta meta = {
      {kMatrixSide, kMatrixSide}, contiguousStrides({kMatrixSide, kMatrixSide}), DType::Float32};
  const TransformInfo merged{
      {0, 1}, Move::AllGather, placementsOf("S(0) S(0)"), placementsOf("R R")};
  EXPECT_EQ(priceOf(kModel, *mesh, meta, merged).microseconds, 16 + 7 * 2 + 875000);
  CostModel hosts = kModel;
  hosts.ranksPerHost = 4;
  EXPECT_EQ(priceOf(hosts, *mesh, meta, merged).microseconds, 16 + 7 * 8 + 1750000);
  EXPECT_EQ(priceOf(kModel, *mesh, meta, merged).received, 7.0 / 8 * (1 << 30));
}

TEST(Price, OfNoBytesIsTheLatencyOverTheSlowestLink) {
  CostModel model = kModel;
  model.bandwidth = 1e-310;
  const Spec current = specOf(meshOf({2, 2}), {0, 4}, "S(0) S(1)");
  const auto microseconds = [&](PlannerKind kind) {
    const Plan plan = makePlan(kind, model, current, placementsOf("S(1) S(0)")).value();
    return priceOf(model, current, plan).microseconds;
  };
  EXPECT_EQ(microseconds(PlannerKind::Greedy), 2 * (16 + 2));
  EXPECT_EQ(microseconds(PlannerKind::MinCost), 16 + 3 * 2);
}

TEST(Price, CountsTheCollectivesAmongSeveral) {
  const auto count = [](const std::vector<int>& mesh, const Moved& moved) {
    const Spec current = specOf(meshOf(mesh), {8, 8}, moved.from);
    return collectiveCount(*current.mesh, planGreedy(current, placementsOf(moved.to)).value());
  };
  EXPECT_EQ(count({2, 2}, {"S(0) S(0)", "R R"}), 2);
  EXPECT_EQ(count({2, 1}, {"S(0) S(0)", "R R"}), 1);
  EXPECT_EQ(count({2, 2}, {"R R", "S(0) P(sum)"}), 0);
}

std::int64_t bytes(const std::vector<int>& mesh, const Moved& moved, DType dtype = DType::Float32) {
  const Spec current = specOf(meshOf(mesh), {8, 8}, moved.from, dtype);
  return receivedBytes(current, planGreedy(current, placementsOf(moved.to)).value());
}

TEST(ReceivedBytes, OfEachStepOnFourRanks) {
  EXPECT_EQ(bytes({4}, {"S(0)", "R"}), 3 * 64);
  EXPECT_EQ(bytes({4}, {"S(0)", "S(1)"}), 3 * 16);
  EXPECT_EQ(bytes({4}, {"P(sum)", "S(0)"}), 3 * 64);
  EXPECT_EQ(bytes({4}, {"P(sum)", "R"}), 2 * 3 * 64);
  EXPECT_EQ(bytes({4}, {"MaskP(sum,[4],0)", "R"}), 2 * 3 * 64);
  for (const auto* alone : {"R", "S(0)", "P(sum)"}) EXPECT_EQ(bytes({4}, {"R", alone}), 0);
  EXPECT_EQ(bytes({4}, {"S(0)", "P(sum)"}), 0);
}

TEST(ReceivedBytes, CountTheDType) {
  EXPECT_EQ(bytes({4}, {"S(0)", "R"}, DType::Int64), 3 * 128);
  EXPECT_EQ(bytes({4}, {"S(0)", "R"}, DType::Bool), 3 * 16);
}

TEST(ReceivedBytes, AddUpOverThePlan) {
  EXPECT_EQ(bytes({2, 4}, {"P(sum) P(sum)", "S(0) S(0)"}), 1 * 128 + 3 * 32);
  EXPECT_EQ(bytes({2, 4}, {"S(0) S(0)", "R S(0)"}), 3 * 32 + 1 * 128);
  EXPECT_EQ(bytes({2, 4}, {"R P(sum)", "S(0) R"}), 2 * 3 * 32);
  EXPECT_EQ(bytes({2, 4}, {"R R", "S(0) P(sum)"}), 0);
}

}  // namespace
}  // namespace shardlens
