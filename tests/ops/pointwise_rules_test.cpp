#include "tests/ops/written_call.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

std::string binary(const std::string& name, const std::string& a, const std::string& b) {
  return chosen({name, {{{6, 4}, a}, {{6, 4}, b}}, {6, 4}});
}
std::string add(const std::string& a, const std::string& b) {
  return binary("aten.add.Tensor", a, b);
}
std::string mul(const std::string& a, const std::string& b) {
  return binary("aten.mul.Tensor", a, b);
}
std::string unary(const std::string& name, const std::string& a) {
  return chosen({name, {{{6, 4}, a}}, {6, 4}});
}

TEST(PointwiseRule, ShardsStayTogether) {
  EXPECT_EQ(add("S(0)", "S(0)"), "sharded: (S(0)) (S(0)) -> (S(0))");
  EXPECT_EQ(add("SS(1,2)", "SS(1,2)"), "sharded: (SS(1, 2)) (SS(1, 2)) -> (SS(1, 2))");
  EXPECT_EQ(add("S(0) S(1)", "S(0) S(1)"), "sharded: (S(0), S(1)) (S(0), S(1)) -> (S(0), S(1))");
  EXPECT_EQ(unary("aten.relu", "S(1)"), "sharded: (S(1)) -> (S(1))");
}

TEST(PointwiseRule, AReplicatedInputIsShardedAsTheOther) {
  EXPECT_EQ(add("S(1)", "R"), "sharded: (S(1)) (S(1)) -> (S(1))");
  EXPECT_EQ(add("R", "S(0)"), "sharded: (S(0)) (S(0)) -> (S(0))");
}

TEST(PointwiseRule, ABroadcastInputStaysReplicated) {
  const auto broadcast = [](const std::string& placement, const Shape& other) {
    return chosen({"aten.mul.Tensor", {{{6, 4}, placement}, {other, "R"}}, {6, 4}});
  };
  EXPECT_EQ(broadcast("S(0)", {}), "sharded: (S(0)) (R) -> (S(0))");
  EXPECT_EQ(broadcast("S(0)", {4}), "sharded: (S(0)) (R) -> (S(0))");
  EXPECT_EQ(broadcast("S(1)", {4}), "sharded: (S(1)) (S(0)) -> (S(1))");
  EXPECT_EQ(broadcast("S(0)", {1, 4}), "sharded: (S(0)) (R) -> (S(0))");
  EXPECT_EQ(broadcast("S(0)", {6, 1}), "sharded: (S(0)) (S(0)) -> (S(0))");
}

TEST(PointwiseRule, UnevenShardsStayButAreNotMade) {
  const auto threeOfFour = [](const std::string& a, const std::string& b) {
    return chosen({"aten.add.Tensor", {{{3}, a}, {{3}, b}}, {3}, {}, {4}});
  };
  EXPECT_EQ(threeOfFour("S(0)", "S(0)"), "sharded: (S(0)) (S(0)) -> (S(0))");
  EXPECT_EQ(threeOfFour("S(0)", "R"), "replicate: (R) (R) -> (R)");
}

TEST(AddRule, SumsOfPartialsArePartial) {
  EXPECT_EQ(add("P(sum)", "P(sum)"), "partial: (P(sum)) (P(sum)) -> (P(sum))");
  EXPECT_EQ(add("P(avg)", "P(avg)"), "partial: (P(avg)) (P(avg)) -> (P(avg))");
  EXPECT_EQ(add("P(sum)", "R"), "partial: (P(sum)) (P(sum)) -> (P(sum))");
  EXPECT_EQ(add("R", "P(sum)"), "partial: (P(sum)) (P(sum)) -> (P(sum))");
  EXPECT_EQ(add("MaskP(sum,[8,4],0)", "R"), "partial: (P(sum)) (P(sum)) -> (P(sum))");
  EXPECT_EQ(add("P(sum) P(avg)", "P(sum) P(avg)"),
            "partial: (P(sum), P(avg)) (P(sum), P(avg)) -> (P(sum), P(avg))");
}

TEST(AddRule, AReplicatedInputMayBeAddedToAveragesAndBounds) {
  EXPECT_EQ(add("P(avg)", "R"), "partial: (P(avg)) (R) -> (P(avg))");
  EXPECT_EQ(add("R", "P(avg)"), "partial: (R) (P(avg)) -> (P(avg))");
  EXPECT_EQ(add("P(max)", "R"), "partial: (P(max)) (R) -> (P(max))");
  EXPECT_EQ(add("P(min)", "R"), "partial: (P(min)) (R) -> (P(min))");
}

TEST(AddRule, OfTwoThatDoNotMixOneIsReduced) {
  EXPECT_EQ(add("P(max)", "P(max)"), "partial: (P(max)) (R) -> (P(max))");
  EXPECT_EQ(add("P(sum)", "P(avg)"), "partial: (R) (P(avg)) -> (P(avg))");
}

TEST(AddRule, OtherPartialsAreScatteredIfAnInputIsSharded) {
  EXPECT_EQ(add("R", "P(max)"), "replicate: (R) (R) -> (R)");
  EXPECT_EQ(add("P(sum)", "S(1)"), "sharded: (S(1)) (S(1)) -> (S(1))");
}

TEST(MulRule, IsLinearInEachFactorAlone) {
  EXPECT_EQ(mul("P(sum)", "R"), "partial: (P(sum)) (R) -> (P(sum))");
  EXPECT_EQ(mul("R", "P(avg)"), "partial: (R) (P(avg)) -> (P(avg))");
  EXPECT_EQ(mul("P(sum)", "P(sum)"), "partial: (P(sum)) (R) -> (P(sum))");
  EXPECT_EQ(mul("P(max)", "R"), "replicate: (R) (R) -> (R)");
  EXPECT_EQ(unary("aten.mul.Scalar", "P(sum)"), "partial: (P(sum)) -> (P(sum))");
  EXPECT_EQ(unary("aten.mul.Scalar", "P(max)"), "replicate: (R) -> (R)");
}

TEST(MulRule, OnlyThePartialsMustKeepTheirDtype) {
  const auto times = [](const WrittenInput& a, const WrittenInput& b) {
    return chosen({"aten.mul.Tensor", {a, b}, {6, 4}});
  };
  const WrittenInput terms{{6, 4}, "P(sum)"}, number{{}, "R", DType::Float64};
  EXPECT_EQ(times(terms, number), "partial: (P(sum)) (R) -> (P(sum))");
  EXPECT_EQ(times({{6, 4}, "R"}, {{}, "P(sum)", DType::Float64}), "replicate: (R) (R) -> (R)");
}

TEST(DivRule, IsLinearInTheNumerator) {
  EXPECT_EQ(binary("aten.div.Tensor", "P(sum)", "R"), "partial: (P(sum)) (R) -> (P(sum))");
  EXPECT_EQ(binary("aten.div.Tensor", "R", "P(sum)"), "replicate: (R) (R) -> (R)");
  EXPECT_EQ(unary("aten.div.Scalar", "P(avg)"), "partial: (P(avg)) -> (P(avg))");
}

TEST(Xlog1pyRule, IsLinearInTheFirst) {
  const std::string name = "aten.special_xlog1py";
  EXPECT_EQ(binary(name, "P(sum)", "R"), "partial: (P(sum)) (R) -> (P(sum))");
  EXPECT_EQ(unary(name + ".other_scalar", "P(sum)"), "partial: (P(sum)) -> (P(sum))");
  EXPECT_EQ(unary(name + ".self_scalar", "P(sum)"), "replicate: (R) -> (R)");
}

TEST(RisingRule, AnOperatorThatReplacesNaNsIsNotMonotone) {
  EXPECT_EQ(unary("aten.trunc", "P(max)"), "partial: (P(max)) -> (P(max))");
  EXPECT_EQ(unary("aten.nan_to_num", "P(max)"), "replicate: (R) -> (R)");
}

TEST(NegRule, TurnsBoundsAround) {
  EXPECT_EQ(unary("aten.neg", "P(sum)"), "partial: (P(sum)) -> (P(sum))");
  EXPECT_EQ(unary("aten.neg", "P(max)"), "partial: (P(max)) -> (P(min))");
  EXPECT_EQ(unary("aten.neg", "P(min)"), "partial: (P(min)) -> (P(max))");
}

TEST(PointwiseRule, ANonlinearOperatorAcceptsNoPartial) {
  for (const std::string name : {"aten.relu", "aten.tanh", "aten.sigmoid"}) {
    EXPECT_EQ(unary(name, "P(sum)"), "replicate: (R) -> (R)") << name;
  }
}

TEST(InPlace, OtherInputsCome) {
  EXPECT_EQ(binary("aten.add_.Tensor", "S(0)", "R"), "sharded: (S(0)) (S(0)) -> (S(0))");
  EXPECT_EQ(binary("aten.add_.Tensor", "R", "S(0)"), "replicate: (R) (R) -> (R)");
  EXPECT_EQ(binary("aten.add_.Tensor", "R", "P(sum)"), "replicate: (R) (R) -> (R)");
  EXPECT_EQ(binary("aten.mul_.Tensor", "P(sum)", "R"), "partial: (P(sum)) (R) -> (P(sum))");
}

TEST(InPlace, IsRefusedWhereTheInputWouldHaveToMove) {
  const auto refusal = [](const std::string& name, const std::string& placement) {
    return name +
           ": in-place operations that require placement changes are not supported. The input has "
           "placement (" +
           placement +
           "), but no valid strategy preserves this placement. Please use the out-of-place version "
           "of this operation instead.";
  };
  EXPECT_EQ(binary("aten.mul_.Tensor", "P(max)", "R"), refusal("aten.mul_.Tensor", "P(max)"));
  EXPECT_EQ(unary("aten.relu_", "P(sum)"), refusal("aten.relu_", "P(sum)"));
}

}  // namespace
}  // namespace shardlens
