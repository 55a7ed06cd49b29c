#include "tests/ops/written_call.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

// Returns the strategy of a call that also returns the total weight.
std::string chosenOf(WrittenCall call) {
  call.furtherOutputs = {{}};
  return chosen(call);
}

// Returns the strategy for a loss of eight rows and four classes.
std::string loss(Reduction reduction, const std::string& input, const std::string& target) {
  return chosenOf({"aten.nll_loss_forward",
                   {{{8, 4}, input}, {{8}, target, DType::Int64}},
                   reduction == kNone ? Shape{8} : Shape{},
                   args(reduction)});
}

TEST(LossRule, RunsOnThePlacementOfTheRows) {
  EXPECT_EQ(loss(kNone, "R", "R"), "replicate: (R) (R) -> (R) (R)");
  EXPECT_EQ(loss(kNone, "S(0)", "S(0)"), "rows: (S(0)) (S(0)) -> (S(0)) (R)");
  EXPECT_EQ(loss(kSum, "S(0)", "S(0)"), "rows: (S(0)) (S(0)) -> (P(sum)) (P(sum))");
  EXPECT_EQ(loss(kMean, "S(0)", "S(0)"), "rows: (S(0)) (S(0)) -> (R) (R)");
}

TEST(LossRule, ShardsReplicatedInputsAsTheOthers) {
  EXPECT_EQ(loss(kSum, "R", "S(0)"), "rows: (S(0)) (S(0)) -> (P(sum)) (P(sum))");
  EXPECT_EQ(loss(kSum, "S(0)", "R"), "rows: (S(0)) (S(0)) -> (P(sum)) (P(sum))");
  EXPECT_EQ(loss(kNone, "SS(0,2) S(0)", "R R"),
            "rows: (SS(0, 2), S(0)) (SS(0, 2), S(0)) -> (SS(0, 2), S(0)) (R, R)");
}

TEST(LossRule, GathersClasses) {
  EXPECT_EQ(loss(kNone, "S(1)", "R"), "replicate: (R) (R) -> (R) (R)");
  EXPECT_EQ(loss(kMean, "S(0) S(1)", "S(0) R"),
            "rows x replicate: (S(0), R) (S(0), R) -> (R, R) (R, R)");
}

TEST(LossRule, RequiresAReplicatedWeight) {
  EXPECT_EQ(chosenOf({"aten.nll_loss_forward",
                      {{{8, 4}, "S(0)"}, {{8}, "S(0)", DType::Int64}, {{4}, "S(0)"}},
                      {},
                      args(kSum)}),
            "rows: (S(0)) (S(0)) (R) -> (P(sum)) (P(sum))");
}

TEST(LossRule, OfImagesShardsTargetsWithoutTheClasses) {
  const auto images = [](const std::string& input) {
    return chosenOf({"aten.nll_loss2d_forward",
                     {{{8, 4, 6, 2}, input}, {{8, 6, 2}, "R", DType::Int64}},
                     {8, 6, 2},
                     args(kNone)});
  };
  EXPECT_EQ(images("S(0)"), "rows: (S(0)) (S(0)) -> (S(0)) (R)");
  EXPECT_EQ(images("S(2)"), "rows: (S(2)) (S(1)) -> (S(1)) (R)");
  EXPECT_EQ(images("S(3)"), "rows: (S(3)) (S(2)) -> (S(2)) (R)");
}

TEST(LossRule, OfOneRowShardsNothing) {
  EXPECT_EQ(
      chosenOf(
          {"aten.nll_loss_forward", {{{4}, "S(0)"}, {{}, "R", DType::Int64}}, {}, args(kMean)}),
      "replicate: (R) (R) -> (R) (R)");
}

TEST(LossRule, OfImagesHasTheOutputsOfTheOperator) {
  const auto given = [](Reduction reduction) {
    const auto call =
        schemaOf({"aten.nll_loss2d_forward",
                  {{{8, 4, 6, 2}, "R", DType::Float64}, {{8, 6, 2}, "R", DType::Int64}},
                  {},
                  args(reduction)});
    return findRule("aten.nll_loss2d_forward").rule->outputs(call);
  };
  const TensorMeta total{{}, {}, DType::Float64};
  EXPECT_EQ(given(kNone),
            (std::vector<TensorMeta>{{{8, 6, 2}, {12, 2, 1}, DType::Float64}, total}));
  EXPECT_EQ(given(kMean), (std::vector<TensorMeta>{total, total}));
}

std::string backward(Reduction reduction, const std::string& gradient, const std::string& input,
                     const std::string& total) {
  return chosen({"aten.nll_loss_backward",
                 {{reduction == kNone ? Shape{8} : Shape{}, gradient},
                  {{8, 4}, input},
                  {{8}, input, DType::Int64},
                  {{}, total}},
                 {8, 4},
                 args(reduction)});
}

TEST(LossBackwardRule, RunsOnThePlacementOfTheRows) {
  EXPECT_EQ(backward(kNone, "S(0)", "S(0)", "R"), "rows: (S(0)) (S(0)) (S(0)) (R) -> (S(0))");
  EXPECT_EQ(backward(kMean, "R", "S(0)", "R"), "rows: (R) (S(0)) (S(0)) (R) -> (S(0))");
  EXPECT_EQ(backward(kSum, "R", "S(0)", "R"), "rows: (R) (S(0)) (S(0)) (R) -> (S(0))");
}

// The total weight then keeps the placement that the forward gave it.
TEST(LossBackwardRule, OfASumDoesNotNeedTheTotal) {
  EXPECT_EQ(backward(kSum, "R", "S(0)", "P(sum)"), "rows: (R) (S(0)) (S(0)) (P(sum)) -> (S(0))");
}

}  // namespace
}  // namespace shardlens
