#include "core/model/notation.h"

#include "tests/model/every_placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shardlens {
namespace {

TEST(Notation, EveryPlacementIsReadAsItWasPrinted) {
  for (const auto& placement : everyPlacement()) {
    const std::string text = toText(placement);
    const auto parsed = parsePlacement(text);
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(*parsed, placement) << text;
  }
}

TEST(Notation, IsWrittenAsDTensorWritesIt) {
  const std::pair<Placement, std::string> cases[] = {
      {Replicate{}, "R"},
      {Shard{1}, "S(1)"},
      {Shard{-1}, "S(-1)"},
      {StridedShard{0, 2}, "SS(0, 2)"},
      {Partial{}, "P(sum)"},
      {Partial{ReduceOp::PremulSum, 0.1}, "P(premul_sum, 0.1)"},
      {NormPartial{2}, "NormP(2)"},
      {MaskPartial{ReduceOp::Sum, {10, 3}, 0}, "MaskP(sum, [10, 3], 0)"},
  };
  for (const auto& [placement, text] : cases) EXPECT_EQ(toText(placement), text);
  EXPECT_EQ(toText(Placements{Shard{0}, Replicate{}}), "(S(0), R)");
  EXPECT_EQ(toText(Placements{}), "()");
  EXPECT_EQ(toText(Shape{10, 3}), "[10, 3]");
  EXPECT_EQ(toText(Shape{}), "[]");
}

TEST(Notation, SpacesAreFree) {
  EXPECT_EQ(parsePlacement("  S( 0 ) "), Placement(Shard{0}));
  EXPECT_EQ(parsePlacement("SS(1,2)"), Placement(StridedShard{1, 2}));
  EXPECT_EQ(parsePlacement("MaskP(max,[4],0)"), Placement(MaskPartial{ReduceOp::Max, {4}, 0}));
}

TEST(Notation, ReadsTheNotationThatDTensorPrints) {
  EXPECT_EQ(parsePlacement("_S(1, 2)"), Placement(StridedShard{1, 2}));
  EXPECT_EQ(parsePlacement("_NormP(2.0)"), Placement(NormPartial{2}));
  EXPECT_EQ(parsePlacement("MaskP(sum, torch.Size([10, 3]), 1)"),
            Placement(MaskPartial{ReduceOp::Sum, {10, 3}, 1}));
}

TEST(Notation, APartialWithoutAnOpIsASum) { EXPECT_EQ(parsePlacement("P"), Placement(Partial{})); }

std::string refusal(std::string_view text) {
  const auto placement = parsePlacement(text);
  return placement ? "read as " + toText(*placement) : placement.error().message;
}

TEST(Notation, RefusesAnUnknownNotation) {
  for (const std::string text :
       {"",       "r",       "X",         "R(0)",     "R R",       "S",
        "S(",     "S()",     "S(a)",      "S(0",      "S(0))",     "S(0) R",
        "S(0.5)", "S(+1)",   "SS(0)",     "SS(0, 0)", "SS(0, -2)", "S(99999999999)",
        "P(sum",  "P(sum)x", "P(sum, 2)", "NormP",    "NormP()",   "NormP(p)"}) {
    EXPECT_EQ(refusal(text),
              "unknown placement '" + text +
                  "', expected R, S(dim), SS(dim, split_factor), P(op), P(premul_sum, factor), "
                  "NormP(p) or MaskP(op, [shape], dim)");
  }
}

TEST(Notation, RefusesIncompleteFactorsAndMasks) {
  for (const std::string text :
       {"P(premul_sum)", "P(premul_sum, x)", "P(premul_sum, 0.5", "P(premul_sum, nan)",
        "NormP(nan)", "MaskP(sum", "MaskP(sum, 10, 0)", "MaskP(sum, [10, 3)", "MaskP(sum, [10, 3])",
        "MaskP(sum, [10, 3], 0", "MaskP(sum, [10,], 0)", "MaskP(sum, [10, -3], 0)",
        "MaskP(sum, torch.Size([10, 3], 0)", "MaskP(sum, torch.Size(10), 0)"}) {
    EXPECT_THAT(refusal(text), testing::StartsWith("unknown placement '" + text + "', expected "));
  }
}

TEST(Notation, RefusesAMaskOfNoTable) {
  for (const std::string text : {"MaskP", "MaskP(max)"}) {
    EXPECT_EQ(refusal(text), "placement '" + text +
                                 "': offset_shape needs to be set for _MaskPartial, expected "
                                 "MaskP(op, [shape], dim)");
  }
}

TEST(Notation, RefusesAnUnknownReduceOp) {
  for (const std::string text : {"P(bogus)", "MaskP(bogus, [3], 0)"}) {
    EXPECT_EQ(refusal(text),
              "unrecognized reduce op 'bogus', expected sum, avg, min, max, product, band, bor, "
              "bxor or premul_sum");
  }
}

TEST(Notation, RefusesAMaskAlongADimensionThatTheTableLacks) {
  EXPECT_EQ(refusal("MaskP(sum, [10, 3], 2)"),
            "placement 'MaskP(sum, [10, 3], 2)': dimension 2 is not one of [10, 3]");
  EXPECT_EQ(refusal("MaskP(sum, [10, 3], -1)"),
            "placement 'MaskP(sum, [10, 3], -1)': dimension -1 is not one of [10, 3]");
  EXPECT_EQ(refusal("MaskP(sum, [10, 3], 1)"), "read as MaskP(sum, [10, 3], 1)");
}

TEST(Notation, PlacementsAreAlwaysSeparated) {
  EXPECT_EQ(shortText({StridedShard{0, 2}}), "SS(0, 2)");
  EXPECT_EQ(shortText({Replicate{}, StridedShard{0, 2}}), "(R, SS(0, 2))");
  EXPECT_EQ(shortText({Replicate{}, Shard{0}, Partial{}}), "(R, S(0), P(sum))");
}

}  // namespace
}  // namespace shardlens
