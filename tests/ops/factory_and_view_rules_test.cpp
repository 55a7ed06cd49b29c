#include "tests/ops/written_call.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

std::string unary(const std::string& name, const std::string& placements) {
  return chosen({name, {{{6, 4}, placements}}, {6, 4}});
}

TEST(LikeRule, KeepsShardsAndMakesTermsWhole) {
  for (const std::string name :
       {"aten.empty_like", "aten.full_like", "aten.ones_like", "aten.zeros_like"}) {
    EXPECT_EQ(unary(name, "S(1)"), "sharded: (S(1)) -> (S(1))") << name;
    EXPECT_EQ(unary(name, "P(sum)"), "whole: (P(sum)) -> (R)") << name;
    EXPECT_EQ(unary(name, "P(max)"), "whole: (P(max)) -> (R)") << name;
    EXPECT_EQ(unary(name, "SS(0,2) P(avg)"), "sharded x whole: (SS(0, 2), P(avg)) -> (SS(0, 2), R)")
        << name;
  }
}

TEST(CopyRule, KeepsEveryPlacement) {
  for (const std::string name : {"aten.alias", "aten.clone", "aten.detach"}) {
    EXPECT_EQ(unary(name, "R"), "replicate: (R) -> (R)") << name;
    EXPECT_EQ(unary(name, "S(0)"), "sharded: (S(0)) -> (S(0))") << name;
    for (const std::string partial : {"P(sum)", "P(avg)", "P(min)", "P(max)", "P(product)"}) {
      EXPECT_EQ(unary(name, partial), "partial: (" + partial + ") -> (" + partial + ")") << name;
    }
  }
}

std::string expanded(const Shape& from, const std::string& placements, const Shape& to) {
  return chosen({"aten.expand", {{from, placements}}, to});
}

TEST(ExpandRule, CutsMoveRightByTheDimensionsAdded) {
  EXPECT_EQ(expanded({4}, "S(0)", {4}), "sharded: (S(0)) -> (S(0))");
  EXPECT_EQ(expanded({4}, "S(0)", {2, 3, 4}), "sharded: (S(0)) -> (S(2))");
  EXPECT_EQ(expanded({6, 1}, "SS(0,2)", {3, 6, 4}), "sharded: (SS(0, 2)) -> (SS(1, 2))");
  EXPECT_EQ(expanded({4}, "P(max)", {3, 4}), "partial: (P(max)) -> (P(max))");
}

TEST(ExpandRule, WhatIsStretchedMustBeWhole) {
  EXPECT_EQ(expanded({1, 4}, "S(0)", {3, 4}), "replicate: (R) -> (R)");
  EXPECT_EQ(expanded({1, 4}, "S(0)", {1, 4}), "sharded: (S(0)) -> (S(0))");
}

// The size is the whole's: each rank must be given its own.
TEST(ExpandRule, SaysWhichArgumentIsASize) {
  EXPECT_EQ(findRule("aten.expand").rule->sizeArg, "size");
  EXPECT_EQ(findRule("aten.neg").rule->sizeArg, "");
}

}  // namespace
}  // namespace shardlens
