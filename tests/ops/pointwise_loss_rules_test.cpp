#include "tests/ops/written_call.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

std::string loss(const std::string& name, Reduction reduction, const std::string& x,
                 const std::string& target) {
  return chosen({name,
                 {{{6, 4}, x}, {{6, 4}, target}},
                 reduction == kNone ? Shape{6, 4} : Shape{},
                 args(reduction)});
}

TEST(PointwiseLossRule, RunsOnThePlacementOfTheElements) {
  for (const std::string name :
       {"aten.mse_loss", "aten.smooth_l1_loss", "aten.huber_loss", "aten.soft_margin_loss",
        "aten.binary_cross_entropy", "aten.binary_cross_entropy_with_logits"}) {
    EXPECT_EQ(loss(name, kNone, "S(1)", "S(1)"), "sharded: (S(1)) (S(1)) -> (S(1))") << name;
    EXPECT_EQ(loss(name, kSum, "S(0)", "R"), "sharded: (S(0)) (S(0)) -> (P(sum))") << name;
    EXPECT_EQ(loss(name, kMean, "S(0)", "S(0)"), "sharded: (S(0)) (S(0)) -> (P(avg))") << name;
  }
}

TEST(PointwiseLossRule, IsNotLinear) {
  EXPECT_EQ(loss("aten.mse_loss", kSum, "P(sum)", "R"), "replicate: (R) (R) -> (R)");
}

TEST(PointwiseLossRule, AWeightOfColumnsStaysReplicatedIfRowsAreSharded) {
  const auto weighed = [](const std::string& x) {
    return chosen(
        {"aten.binary_cross_entropy", {{{6, 4}, x}, {{6, 4}, x}, {{4}, "R"}}, {}, args(kMean)});
  };
  EXPECT_EQ(weighed("S(0)"), "sharded: (S(0)) (S(0)) (R) -> (P(avg))");
  EXPECT_EQ(weighed("S(1)"), "sharded: (S(1)) (S(1)) (S(0)) -> (P(avg))");
}

TEST(PointwiseLossBackwardRule, IsLinearInTheGradient) {
  const auto backward = [](const std::string& gradient, const std::string& x) {
    return chosen({"aten.mse_loss_backward",
                   {{{}, gradient}, {{6, 4}, x}, {{6, 4}, x}},
                   {6, 4},
                   args(kMean)});
  };
  EXPECT_EQ(backward("R", "S(1)"), "sharded: (R) (S(1)) (S(1)) -> (S(1))");
  EXPECT_EQ(backward("P(sum)", "R"), "partial: (P(sum)) (R) (R) -> (P(sum))");
  EXPECT_EQ(backward("P(max)", "R"), "replicate: (R) (R) (R) -> (R)");
}

// There are as many classes as rows. A weight per class must not be sharded with the rows.
TEST(MarginLossRule, ShardsRows) {
  const auto margin = [](Reduction reduction, const std::string& x) {
    auto given = args(reduction);
    given.push_back({"weight", TensorIndex{2}});
    return chosen({"aten.multi_margin_loss",
                   {{{6, 6}, x}, {{6}, "R", DType::Int64}, {{6}, "R"}},
                   reduction == kNone ? Shape{6} : Shape{},
                   given});
  };
  EXPECT_EQ(margin(kNone, "S(0)"), "rows: (S(0)) (S(0)) (R) -> (S(0))");
  EXPECT_EQ(margin(kSum, "S(0)"), "rows: (S(0)) (S(0)) (R) -> (P(sum))");
  EXPECT_EQ(margin(kMean, "S(0)"), "rows: (S(0)) (S(0)) (R) -> (P(avg))");
  EXPECT_EQ(margin(kMean, "S(1)"), "replicate: (R) (R) (R) -> (R)");
}

TEST(MarginLossRule, OfSeveralLabelsKeepsWhichTheyAre) {
  const auto of = [](Reduction reduction) {
    return chosen({"aten.multilabel_margin_loss_forward",
                   {{{6, 4}, "S(0)"}, {{6, 4}, "S(0)", DType::Int64}},
                   reduction == kNone ? Shape{6} : Shape{},
                   args(reduction),
                   {},
                   {{6, 4}}});
  };
  EXPECT_EQ(of(kNone), "rows: (S(0)) (S(0)) -> (S(0)) (S(0))");
  EXPECT_EQ(of(kMean), "rows: (S(0)) (S(0)) -> (P(avg)) (S(0))");
}

TEST(GradientRule, OfActivationsIsLinear) {
  for (const std::string name : {"aten.elu_backward", "aten.gelu_backward", "aten.mish_backward",
                                 "aten.hardtanh_backward", "aten.threshold_backward"}) {
    const auto backward = [&](const std::string& dy, const std::string& x) {
      return chosen({name, {{{6, 4}, dy}, {{6, 4}, x}}, {6, 4}});
    };
    EXPECT_EQ(backward("S(1)", "S(1)"), "sharded: (S(1)) (S(1)) -> (S(1))") << name;
    EXPECT_EQ(backward("P(avg)", "R"), "partial: (P(avg)) (R) -> (P(avg))") << name;
    EXPECT_EQ(backward("R", "P(sum)"), "replicate: (R) (R) -> (R)") << name;
  }
}

TEST(GluRule, ReplicatesTheHalvedDimension) {
  const auto glu = [](const std::string& x) {
    return chosen({"aten.glu", {{{6, 4}, x}}, {6, 2}, {{"dim", std::int64_t{-1}}}});
  };
  EXPECT_EQ(glu("S(0)"), "sharded: (S(0)) -> (S(0))");
  EXPECT_EQ(glu("S(1)"), "replicate: (R) -> (R)");
}

}  // namespace
}  // namespace shardlens
