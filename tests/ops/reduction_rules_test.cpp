#include "tests/ops/written_call.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

std::string sum(const std::string& placements, const Shape& shape = {6, 4},
                std::vector<int> mesh = {}) {
  return chosen({"aten.sum", {{shape, placements}}, {}, {}, std::move(mesh)});
}

TEST(SumRule, LeavesATermOnEachRank) {
  EXPECT_EQ(sum("S(0)"), "terms: (S(0)) -> (P(sum))");
  EXPECT_EQ(sum("S(1)"), "terms: (S(1)) -> (P(sum))");
  EXPECT_EQ(sum("SS(0,2)"), "terms: (SS(0, 2)) -> (P(sum))");
  EXPECT_EQ(sum("P(sum)"), "partial: (P(sum)) -> (P(sum))");
  EXPECT_EQ(sum("R"), "replicate: (R) -> (R)");
  EXPECT_EQ(sum("S(0) P(sum)"), "terms x partial: (S(0), P(sum)) -> (P(sum), P(sum))");
}

TEST(SumRule, AMaskedSumIsASum) {
  EXPECT_EQ(sum("MaskP(sum,[8,4],0)"), "partial: (P(sum)) -> (P(sum))");
}

// The cheapest way to reduce what is no sum scatters it, and adds up the shards.
TEST(SumRule, OtherTermsAreReducedFirst) {
  EXPECT_EQ(sum("P(max)"), "terms: (S(0)) -> (P(sum))");
  EXPECT_EQ(sum("P(max)", {}), "replicate: (R) -> (R)");
}

TEST(SumRule, UnevenAndEmptyShardsStay) {
  EXPECT_EQ(sum("S(0)", {3}, {4}), "terms: (S(0)) -> (P(sum))");
  EXPECT_EQ(sum("S(0)", {0}, {4}), "terms: (S(0)) -> (P(sum))");
}

using Dims = std::vector<std::int64_t>;

std::string sumDims(const std::string& placements, const ArgValue& dims, bool keepDims = false) {
  const std::vector<Arg> args = {{"dim", dims}, {"keepdim", keepDims}};
  return chosen({"aten.sum.dim_IntList", {{{2, 4, 6}, placements}}, {}, args});
}

TEST(SumDimsRule, WhatStaysMovesLeft) {
  EXPECT_EQ(sumDims("S(1)", Dims{0}), "sharded: (S(1)) -> (S(0))");
  EXPECT_EQ(sumDims("S(2)", Dims{0, 1}), "sharded: (S(2)) -> (S(0))");
  EXPECT_EQ(sumDims("S(0)", Dims{1}), "sharded: (S(0)) -> (S(0))");
  EXPECT_EQ(sumDims("SS(2,2)", Dims{1}), "sharded: (SS(2, 2)) -> (SS(1, 2))");
}

TEST(SumDimsRule, OrStaysInPlaceWithKeepdim) {
  EXPECT_EQ(sumDims("S(1)", Dims{0}, /*keepDims=*/true), "sharded: (S(1)) -> (S(1))");
  EXPECT_EQ(sumDims("S(2)", Dims{0, 1}, /*keepDims=*/true), "sharded: (S(2)) -> (S(2))");
}

TEST(SumDimsRule, WhatGoesLeavesTerms) {
  EXPECT_EQ(sumDims("S(1)", Dims{1}), "terms: (S(1)) -> (P(sum))");
  EXPECT_EQ(sumDims("S(2)", Dims{-1}), "terms: (S(2)) -> (P(sum))");
  EXPECT_EQ(sumDims("S(1)", Dims{-1}), "sharded: (S(1)) -> (S(1))");
  EXPECT_EQ(sumDims("S(0) S(2)", Dims{2}), "sharded x terms: (S(0), S(2)) -> (S(0), P(sum))");
}

TEST(SumDimsRule, NoDimensionMeansAll) {
  EXPECT_EQ(sumDims("S(1)", Dims{}), "terms: (S(1)) -> (P(sum))");
  EXPECT_EQ(sumDims("S(1)", std::monostate{}), "terms: (S(1)) -> (P(sum))");
}

}  // namespace
}  // namespace shardlens
