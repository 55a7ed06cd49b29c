#include "tests/ops/written_call.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

std::string mm(const std::string& a, const std::string& b) {
  return chosen({"aten.mm", {{{6, 4}, a}, {{4, 8}, b}}, {6, 8}});
}

TEST(MmRule, ShardsAlongEachLetter) {
  EXPECT_EQ(mm("R", "R"), "replicate: (R) (R) -> (R)");
  EXPECT_EQ(mm("S(0)", "R"), "sharded: (S(0)) (R) -> (S(0))");
  EXPECT_EQ(mm("R", "S(1)"), "sharded: (R) (S(1)) -> (S(1))");
  EXPECT_EQ(mm("S(1)", "S(0)"), "partial result: (S(1)) (S(0)) -> (P(sum))");
  EXPECT_EQ(mm("SS(1,2)", "SS(0,2)"), "partial result: (SS(1, 2)) (SS(0, 2)) -> (P(sum))");
  EXPECT_EQ(mm("SS(0,2)", "R"), "sharded: (SS(0, 2)) (R) -> (SS(0, 2))");
}

TEST(MmRule, AReplicatedInputIsShardedAsTheOther) {
  EXPECT_EQ(mm("S(1)", "R"), "partial result: (S(1)) (S(0)) -> (P(sum))");
  EXPECT_EQ(mm("R", "S(0)"), "partial result: (S(1)) (S(0)) -> (P(sum))");
}

TEST(MmRule, IsLinearInEachFactorAlone) {
  EXPECT_EQ(mm("P(sum)", "R"), "partial: (P(sum)) (R) -> (P(sum))");
  EXPECT_EQ(mm("R", "P(avg)"), "partial: (R) (P(avg)) -> (P(avg))");
  EXPECT_EQ(mm("MaskP(sum,[8,4],0)", "R"), "partial: (P(sum)) (R) -> (P(sum))");
  EXPECT_EQ(mm("P(max)", "R"), "replicate: (R) (R) -> (R)");
}

TEST(MmRule, EachMeshDimensionHasASeparateStrategy) {
  EXPECT_EQ(mm("S(0) R", "R S(1)"), "sharded: (S(0), R) (R, S(1)) -> (S(0), S(1))");
  EXPECT_EQ(mm("S(0) S(1)", "R S(0)"),
            "sharded x partial result: (S(0), S(1)) (R, S(0)) -> (S(0), P(sum))");
}

TEST(AddmmRule, TheAddendIsShardedAsTheResult) {
  const auto addmm = [](const WrittenInput& added, const std::string& a, const std::string& b) {
    return chosen({"aten.addmm", {added, {{6, 4}, a}, {{4, 8}, b}}, {6, 8}});
  };
  EXPECT_EQ(addmm({{8}, "R"}, "S(0)", "R"), "sharded: (R) (S(0)) (R) -> (S(0))");
  EXPECT_EQ(addmm({{8}, "S(0)"}, "R", "S(1)"), "sharded: (S(0)) (R) (S(1)) -> (S(1))");
  EXPECT_EQ(addmm({{6, 1}, "R"}, "R", "S(1)"), "sharded: (R) (R) (S(1)) -> (S(1))");
  EXPECT_EQ(addmm({{6, 8}, "S(0)"}, "S(0)", "R"), "sharded: (S(0)) (S(0)) (R) -> (S(0))");
  EXPECT_EQ(addmm({{8}, "R"}, "S(1)", "S(0)"),
            "partial result: (P(sum)) (S(1)) (S(0)) -> (P(sum))");
  EXPECT_EQ(addmm({{8}, "R"}, "P(sum)", "R"), "partial: (P(sum)) (P(sum)) (R) -> (P(sum))");
}

TEST(BmmRule, ShardsTheBatch) {
  const auto bmm = [](const std::string& a, const std::string& b) {
    return chosen({"aten.bmm", {{{2, 6, 4}, a}, {{2, 4, 8}, b}}, {2, 6, 8}});
  };
  EXPECT_EQ(bmm("S(0)", "S(0)"), "sharded: (S(0)) (S(0)) -> (S(0))");
  EXPECT_EQ(bmm("S(0)", "R"), "sharded: (S(0)) (S(0)) -> (S(0))");
  EXPECT_EQ(bmm("S(1)", "R"), "sharded: (S(1)) (R) -> (S(1))");
  EXPECT_EQ(bmm("S(2)", "S(1)"), "partial result: (S(2)) (S(1)) -> (P(sum))");
}

TEST(DotRule, HasATermOnEachRank) {
  const auto dot = [](const std::string& a, const std::string& b) {
    return chosen({"aten.dot", {{{6}, a}, {{6}, b}}, {}});
  };
  EXPECT_EQ(dot("S(0)", "S(0)"), "partial result: (S(0)) (S(0)) -> (P(sum))");
  EXPECT_EQ(dot("P(sum)", "R"), "partial: (P(sum)) (R) -> (P(sum))");
}

TEST(AddbmmRule, AddsUpTheBatch) {
  const auto addbmm = [](const std::string& a, const std::string& b) {
    return chosen({"aten.addbmm", {{{4, 2}, "R"}, {{6, 4, 8}, a}, {{6, 8, 2}, b}}, {4, 2}});
  };
  EXPECT_EQ(addbmm("S(0)", "S(0)"), "partial result: (P(sum)) (S(0)) (S(0)) -> (P(sum))");
  EXPECT_EQ(addbmm("S(2)", "S(1)"), "partial result: (P(sum)) (S(2)) (S(1)) -> (P(sum))");
  EXPECT_EQ(addbmm("S(1)", "R"), "sharded: (S(0)) (S(1)) (R) -> (S(0))");
}
}  // namespace
}  // namespace shardlens
