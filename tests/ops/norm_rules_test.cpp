#include "tests/ops/written_call.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

std::vector<Arg> batchNormArgs(bool trains, bool running) {
  std::vector<Arg> args{{"weight", TensorIndex{1}}, {"training", trains}};
  if (running) {
    args.push_back({"running_mean", TensorIndex{2}});
    args.push_back({"running_var", TensorIndex{3}});
  }
  return args;
}

std::string batchNorm(const std::string& x, const std::string& running, bool trains = true,
                      const std::string& variance = "") {
  return chosen(
      {"aten.native_batch_norm",
       {{{4, 6, 9}, x}, {{6}, "R"}, {{6}, running}, {{6}, variance.empty() ? running : variance}},
       {4, 6, 9},
       batchNormArgs(trains, /*running=*/true),
       {},
       {{trains ? 6 : 0}, {trains ? 6 : 0}}});
}

TEST(BatchNormRule, RanksAgreeOnTheStatisticsOfImages) {
  EXPECT_EQ(batchNorm("S(0)", "R"), "batch: (S(0)) (R) (R) (R) -> (S(0)) (R) (R)");
  EXPECT_EQ(batchNorm("S(2)", "R"), "batch: (S(2)) (R) (R) (R) -> (S(2)) (R) (R)");
}

TEST(BatchNormRule, ChannelsHaveSeparateStatistics) {
  EXPECT_EQ(batchNorm("S(1)", "S(0)"),
            "channels: (S(1)) (S(0)) (S(0)) (S(0)) -> (S(1)) (S(0)) (S(0))");
}

TEST(BatchNormRule, RunningStatisticsStayWhereTheyAreWritten) {
  EXPECT_EQ(batchNorm("S(1)", "R"), "replicate: (R) (R) (R) (R) -> (R) (R) (R)");
  EXPECT_EQ(batchNorm("S(0)", "S(0)"),
            "channels: (S(1)) (S(0)) (S(0)) (S(0)) -> (S(1)) (S(0)) (S(0))");
  const std::string none =
      "aten.native_batch_norm: no valid sharding strategy for the input placements.";
  EXPECT_EQ(batchNorm("S(0)", "P(sum)"), none);
  EXPECT_EQ(batchNorm("S(0)", "R", true, "S(0)"), none);
}

TEST(BatchNormRule, RunningStatisticsThatAreReadMayMove) {
  EXPECT_EQ(batchNorm("S(1)", "R", /*trains=*/false),
            "channels: (S(1)) (S(0)) (S(0)) (S(0)) -> (S(1)) (R) (R)");
  EXPECT_EQ(batchNorm("S(0)", "P(sum)", /*trains=*/false),
            "batch: (S(0)) (R) (R) (R) -> (S(0)) (R) (R)");
}

std::string batchNormBackward(const std::string& x, bool trains) {
  return chosen({"aten.native_batch_norm_backward",
                 {{{4, 6, 9}, x}, {{4, 6, 9}, x}, {{6}, "R"}, {{6}, "R"}, {{6}, "R"}},
                 {4, 6, 9},
                 {{"weight", TensorIndex{2}},
                  {"train", trains},
                  {"output_mask", std::vector<std::int64_t>{1, 1, 1}}},
                 {},
                 {{6}, {6}}});
}

TEST(BatchNormBackwardRule, SumsOverImagesArePartialsUnlessTheyAreNeeded) {
  EXPECT_EQ(batchNormBackward("S(0)", true), "batch: (S(0)) (S(0)) (R) (R) (R) -> (S(0)) (R) (R)");
  EXPECT_EQ(batchNormBackward("S(0)", false),
            "batch: (S(0)) (S(0)) (R) (R) (R) -> (S(0)) (P(sum)) (P(sum))");
  EXPECT_EQ(batchNormBackward("S(1)", true),
            "channels: (S(1)) (S(1)) (S(0)) (S(0)) (S(0)) -> (S(1)) (S(0)) (S(0))");
}

std::string groupNorm(std::int64_t groups, const std::string& x) {
  return chosen({"aten.native_group_norm",
                 {{{4, 12, 9}, x}, {{12}, "R"}},
                 {4, 12, 9},
                 {{"group", groups}},
                 {},
                 {{4, groups}, {4, groups}}});
}

TEST(GroupNormRule, ImagesAndWholeGroupsAreIndependent) {
  EXPECT_EQ(groupNorm(4, "S(0)"), "batch: (S(0)) (R) -> (S(0)) (S(0)) (S(0))");
  EXPECT_EQ(groupNorm(4, "S(1)"), "groups: (S(1)) (S(0)) -> (S(1)) (S(1)) (S(1))");
  EXPECT_EQ(groupNorm(3, "S(1)").find("groups"), std::string::npos);
  EXPECT_EQ(groupNorm(4, "S(2)").find("S(2)"), std::string::npos);
}

TEST(GroupNormBackwardRule, GradientsOfTheParametersArePartialsOfImages) {
  const auto backward = [](const std::string& x) {
    return chosen(
        {"aten.native_group_norm_backward",
         {{{4, 12, 9}, x}, {{4, 12, 9}, x}, {{4, 4}, x}, {{4, 4}, x}, {{12}, "R"}},
         {4, 12, 9},
         {{"group", std::int64_t{4}}, {"output_mask", std::vector<std::int64_t>{1, 1, 0}}},
         {},
         {{12}}});
  };
  EXPECT_EQ(backward("S(0)"), "batch: (S(0)) (S(0)) (S(0)) (S(0)) (R) -> (S(0)) (P(sum))");
  EXPECT_EQ(backward("S(1)"), "groups: (S(1)) (S(1)) (S(1)) (S(1)) (S(0)) -> (S(1)) (S(0))");
}

}  // namespace
}  // namespace shardlens
