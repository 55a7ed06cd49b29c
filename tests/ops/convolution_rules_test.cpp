#include "tests/ops/written_call.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

std::vector<Arg> how(std::int64_t groups, bool transposed = false) {
  const auto each = [](std::int64_t number) { return std::vector<std::int64_t>{number}; };
  return {{"stride", each(2)},
          {"padding", each(1)},
          {"dilation", each(1)},
          {"transposed", transposed},
          {"output_padding", each(1)},
          {"groups", groups},
          {"output_mask", std::vector<std::int64_t>{1, 1, 1}}};
}

std::string convolution(const std::string& x, const std::string& weight, const std::string& bias) {
  return chosen({"aten.convolution",
                 {{{4, 6, 9, 9}, x}, {{8, 6, 3, 3}, weight}, {{8}, bias}},
                 {4, 8, 5, 5},
                 how(1)});
}

TEST(ConvolutionRule, ImagesAreIndependent) {
  EXPECT_EQ(convolution("S(0)", "R", "R"), "batch: (S(0)) (R) (R) -> (S(0))");
  EXPECT_EQ(convolution("SS(0,2)", "R", "R"), "batch: (SS(0, 2)) (R) (R) -> (SS(0, 2))");
}

TEST(ConvolutionRule, ChannelsAreSummedOrComputedSeparately) {
  EXPECT_EQ(convolution("R", "S(0)", "S(0)"), "output channels: (R) (S(0)) (S(0)) -> (S(1))");
  EXPECT_EQ(convolution("S(1)", "S(1)", "R"), "input channels: (S(1)) (S(1)) (P(sum)) -> (P(sum))");
  EXPECT_EQ(convolution("S(0) S(1)", "R S(1)", "R R"),
            "batch x input channels: (S(0), S(1)) (R, S(1)) (R, P(sum)) -> (S(0), P(sum))");
}

TEST(ConvolutionRule, PlacesHaveAHalo) {
  EXPECT_EQ(convolution("S(2)", "R", "R"), "places with a halo: (S(2)) (R) (R) -> (S(2))");
  EXPECT_EQ(convolution("S(3) S(2)", "R R", "R R"),
            "places with a halo: (S(3), S(2)) (R, R) (R, R) -> (S(3), S(2))");
  EXPECT_EQ(convolution("S(2) R", "R S(0)", "R S(0)"),
            "places with a halo x output channels: (S(2), R) (R, S(0)) (R, S(0)) -> (S(2), S(1))");
}

TEST(ConvolutionRule, StridedDimensionsAndThoseOfTheWeightAreReplicated) {
  EXPECT_EQ(convolution("SS(2,2)", "R", "R").find("SS(2"), std::string::npos);
  EXPECT_EQ(convolution("R", "S(3)", "R").find("S(3)"), std::string::npos);
}

TEST(ConvolutionRule, IsLinearInTheImageAndInTheWeight) {
  EXPECT_EQ(convolution("P(sum)", "R", "R"), "partial: (P(sum)) (R) (P(sum)) -> (P(sum))");
  EXPECT_EQ(convolution("R", "P(avg)", "R"), "partial: (R) (P(avg)) (P(avg)) -> (P(avg))");
}

std::string transposed(const std::string& x, const std::string& weight) {
  return chosen({"aten.convolution",
                 {{{4, 6, 9}, x}, {{6, 8, 3}, weight}},
                 {4, 8, 18},
                 how(1, /*transposed=*/true)});
}

TEST(ConvolutionRule, ATransposedWeightHasItsInputsFirst) {
  EXPECT_EQ(transposed("R", "S(1)"), "output channels: (R) (S(1)) -> (S(1))");
  EXPECT_EQ(transposed("S(1)", "S(0)"), "input channels: (S(1)) (S(0)) -> (P(sum))");
  EXPECT_EQ(transposed("S(2)", "R"), "places with a halo: (S(2)) (R) -> (S(2))");
}

std::string grouped(std::int64_t groups, const std::string& x, const std::string& weight,
                    const std::vector<int>& mesh) {
  return chosen({"aten.convolution",
                 {{{4, 12, 9}, x}, {{24, 12 / groups, 3}, weight}},
                 {4, 24, 5},
                 how(groups),
                 mesh});
}

TEST(ConvolutionRule, GroupsAreIndependentIfNoneIsSharded) {
  EXPECT_EQ(grouped(4, "S(1)", "S(0)", {2}), "groups: (S(1)) (S(0)) -> (S(1))");
  EXPECT_EQ(grouped(4, "S(1)", "S(0)", {3}), "replicate: (R) (R) -> (R)");
  EXPECT_EQ(grouped(4, "S(1) S(1)", "S(0) S(0)", {2, 2}),
            "groups: (S(1), S(1)) (S(0), S(0)) -> (S(1), S(1))");
  EXPECT_EQ(grouped(2, "S(1) S(1)", "S(0) S(0)", {2, 2}).find("groups"), std::string::npos);
}

TEST(ConvolutionRule, ComputesTheShapeOfTheResult) {
  const auto shapeOf = [](const WrittenCall& call) {
    return findRule("aten.convolution").rule->outputs(schemaOf(call)).front().shape;
  };
  EXPECT_EQ(shapeOf({"aten.convolution", {{{4, 6, 9, 8}, "R"}, {{8, 6, 3, 2}, "R"}}, {}, how(1)}),
            (Shape{4, 8, 5, 5}));
  EXPECT_EQ(shapeOf({"aten.convolution", {{{4, 6, 9}, "R"}, {{6, 4, 3}, "R"}}, {}, how(2, true)}),
            (Shape{4, 8, 18}));
}

std::string backward(const std::string& gradient, const std::string& x, const std::string& weight) {
  return chosen({"aten.convolution_backward",
                 {{{4, 8, 5, 5}, gradient}, {{4, 6, 9, 9}, x}, {{8, 6, 3, 3}, weight}},
                 {4, 6, 9, 9},
                 how(1),
                 {},
                 {{8, 6, 3, 3}, {8}}});
}

TEST(ConvolutionBackwardRule, ASumOverAShardedDimensionIsPartial) {
  EXPECT_EQ(backward("S(0)", "S(0)", "R"), "batch: (S(0)) (S(0)) (R) -> (S(0)) (P(sum)) (P(sum))");
  EXPECT_EQ(backward("S(1)", "R", "S(0)"),
            "output channels: (S(1)) (R) (S(0)) -> (P(sum)) (S(0)) (S(0))");
  EXPECT_EQ(backward("R", "S(1)", "S(1)"),
            "input channels: (R) (S(1)) (S(1)) -> (S(1)) (S(1)) (R)");
  EXPECT_EQ(backward("S(2)", "S(2)", "R"),
            "places with a halo: (S(2)) (S(2)) (R) -> (S(2)) (P(sum)) (P(sum))");
  EXPECT_EQ(backward("P(sum)", "R", "R"),
            "partial: (P(sum)) (R) (R) -> (P(sum)) (P(sum)) (P(sum))");
}

}  // namespace
}  // namespace shardlens
