#include "tests/ops/written_call.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

std::string pooled(const std::string& name, const Shape& shape, const std::string& x) {
  return chosen({name, {{shape, x}}, shape});
}

TEST(SpatialRules, ImagesAndChannelsAreIndependent) {
  EXPECT_EQ(pooled("aten.avg_pool2d", {4, 6, 8, 8}, "S(0)"), "batch: (S(0)) -> (S(0))");
  EXPECT_EQ(pooled("aten.avg_pool2d", {4, 6, 8, 8}, "S(1)"), "channels: (S(1)) -> (S(1))");
  EXPECT_EQ(pooled("aten.avg_pool2d", {6, 8, 8}, "S(0)"), "channels: (S(0)) -> (S(0))");
  EXPECT_EQ(pooled("aten.avg_pool3d", {4, 6, 8, 8, 8}, "S(1)"), "channels: (S(1)) -> (S(1))");
}

TEST(SpatialRules, SpatialDimensionsAreReplicated) {
  EXPECT_EQ(pooled("aten.avg_pool2d", {4, 6, 8, 8}, "S(2)").find("S(2)"), std::string::npos);
  EXPECT_EQ(pooled("aten.upsample_nearest1d", {4, 6, 8}, "S(2)").find("S(2)"), std::string::npos);
}

TEST(SpatialRules, PartialsAreKeptIfTheOperatorAllowsIt) {
  EXPECT_EQ(pooled("aten.avg_pool2d", {4, 6, 8, 8}, "P(sum)"), "partial: (P(sum)) -> (P(sum))");
  EXPECT_EQ(pooled("aten.reflection_pad1d", {4, 6, 8}, "P(max)"), "partial: (P(max)) -> (P(max))");
  EXPECT_NE(pooled("aten.avg_pool2d", {4, 6, 8, 8}, "P(max)").substr(0, 7), "partial");
  EXPECT_NE(pooled("aten.max_pool2d_with_indices", {4, 6, 8, 8}, "P(sum)").substr(0, 7), "partial");
}

TEST(SpatialRules, AGridSamplesAllChannelsAlike) {
  const auto sampled = [](const std::string& x, const std::string& grid) {
    return chosen(
        {"aten.grid_sampler_2d", {{{4, 6, 8, 8}, x}, {{4, 5, 5, 2}, grid}}, {4, 6, 5, 5}});
  };
  EXPECT_EQ(sampled("S(0)", "S(0)"), "batch: (S(0)) (S(0)) -> (S(0))");
  EXPECT_EQ(sampled("S(1)", "R"), "channels: (S(1)) (R) -> (S(1))");
}

TEST(ChannelsRules, UnitsAreNotSharded) {
  const auto shuffled = [](const Shape& x, const Shape& y, const std::string& at) {
    return chosen({"aten.pixel_shuffle", {{x, at}}, y});
  };
  EXPECT_EQ(shuffled({4, 8, 3, 3}, {4, 2, 6, 6}, "S(1)"), "sharded: (S(1)) -> (S(1))");
  EXPECT_EQ(shuffled({4, 12, 3, 3}, {4, 3, 6, 6}, "S(1)"), "replicate: (R) -> (R)");
  EXPECT_EQ(shuffled({4, 8, 4, 3}, {4, 2, 8, 6}, "S(2)"), "sharded: (S(2)) -> (S(2))");
  EXPECT_EQ(shuffled({3, 8, 4, 3}, {3, 2, 8, 6}, "S(0)"), "sharded: (S(0)) -> (S(0))");
}

TEST(ChannelsRules, ShufflingChannelsKeepsAllOtherShards) {
  const auto shuffled = [](const std::string& at) {
    return chosen({"aten.channel_shuffle", {{{4, 6, 8}, at}}, {4, 6, 8}});
  };
  EXPECT_EQ(shuffled("S(0)"), "sharded: (S(0)) -> (S(0))");
  EXPECT_EQ(shuffled("S(2)"), "sharded: (S(2)) -> (S(2))");
  EXPECT_EQ(shuffled("S(1)"), "replicate: (R) -> (R)");
}

TEST(ChannelsRules, WindowsHaveAllOfAChannel) {
  const std::vector<std::int64_t> two{2, 2}, one{1, 1}, none{0, 0};
  const WrittenCall call{
      "aten.im2col",
      {{{4, 6, 8, 5}, "S(1)"}},
      {4, 24, 28},
      {{"kernel_size", two}, {"dilation", one}, {"padding", none}, {"stride", one}}};
  EXPECT_EQ(chosen(call), "sharded: (S(1)) -> (S(1))");
  EXPECT_EQ(findRule("aten.im2col").rule->outputs(schemaOf(call)).front().shape,
            (Shape{4, 24, 28}));
}

}  // namespace
}  // namespace shardlens
