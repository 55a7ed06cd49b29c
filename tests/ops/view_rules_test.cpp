#include "tests/ops/written_call.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

std::string viewed(const Shape& from, const std::string& placements, const Shape& to,
                   std::vector<int> mesh = {}) {
  return chosen({"aten.view", {{from, placements}}, to, {}, std::move(mesh)});
}

TEST(ViewRule, ShardsOfUnchangedDimensionsAreKept) {
  EXPECT_EQ(viewed({6, 4}, "S(0)", {6, 4}), "view: (S(0)) -> (S(0))");
  EXPECT_EQ(viewed({6, 4}, "SS(1,2)", {6, 1, 4}), "view: (SS(1, 2)) -> (SS(2, 2))");
  EXPECT_EQ(viewed({3, 4}, "S(0)", {3, 2, 2}), "view: (S(0)) -> (S(0))");
  EXPECT_EQ(viewed({5, 4}, "S(0)", {5, 1, 4}, {8}), "view: (S(0)) -> (S(0))");
}

TEST(ViewRule, FlattenedShardsAreStrided) {
  EXPECT_EQ(viewed({2, 3, 8}, "S(2)", {2, 24}, {4}), "view: (S(2)) -> (SS(1, 3))");
  EXPECT_EQ(viewed({2, 3, 4}, "S(0)", {24}), "view: (S(0)) -> (S(0))");
  EXPECT_EQ(viewed({2, 3}, "S(1)", {6}), "view: (S(1)) -> (SS(0, 2))");
  // Earlier mesh dimensions have shrunk the dimensions before it.
  EXPECT_EQ(viewed({8, 2, 3}, "SS(0,2) S(1) S(0)", {48}),
            "view: (SS(0, 2), S(1), S(0)) -> (SS(0, 2), SS(0, 4), S(0))");
  EXPECT_EQ(viewed({2, 4}, "SS(1,2)", {8}), "view: (SS(1, 2)) -> (SS(0, 4))");
  EXPECT_EQ(viewed({2, 3}, "S(0) S(1)", {6}, {2, 3}), "view: (S(0), S(1)) -> (S(0), SS(0, 1))");
}

TEST(ViewRule, SplittingConsumesFactors) {
  EXPECT_EQ(viewed({6}, "S(0)", {2, 3}), "view: (S(0)) -> (S(0))");
  EXPECT_EQ(viewed({6}, "SS(0,2)", {2, 3}, {3}), "view: (SS(0, 2)) -> (S(1))");
  EXPECT_EQ(viewed({24}, "SS(0,6)", {2, 12}), "view: (SS(0, 6)) -> (SS(1, 3))");
  EXPECT_EQ(viewed({24}, "S(0) SS(0,3)", {2, 3, 4}), "view: (S(0), SS(0, 3)) -> (S(0), S(2))");
  // Four pieces of two: two ranks have one element of each, and two ranks have none.
  EXPECT_EQ(viewed({4, 4, 8}, "SS(2,4) S(2)", {4, 4, 2, 4}, {4, 2}),
            "view: (SS(2, 4), S(2)) -> (SS(3, 2), S(2))");
}

TEST(ViewRule, FlatteningAndSplittingAtOnceCarriesFactors) {
  EXPECT_EQ(viewed({4, 6}, "S(1)", {8, 3}), "view: (S(1)) -> (SS(0, 4))");
  EXPECT_EQ(viewed({2, 6}, "S(1)", {6, 2}, {3}), "view: (S(1)) -> (SS(0, 2))");
}

TEST(ViewRule, AShardThatAViewCannotKeepIsReplicated) {
  EXPECT_EQ(viewed({3, 4}, "S(0)", {12}), "view: (R) -> (R)");
  EXPECT_EQ(viewed({6}, "S(0)", {2, 3}, {3}), "view: (R) -> (R)");
  EXPECT_EQ(viewed({1, 4}, "S(0)", {4}), "view: (R) -> (R)");
  EXPECT_EQ(viewed({3, 4}, "S(0) S(1)", {12}), "view: (R, S(1)) -> (R, SS(0, 3))");
  // Sharded by the second mesh dimension alone, the dimension is even.
  EXPECT_EQ(viewed({6, 2}, "S(0) S(0)", {2, 3, 2}, {3, 2}), "view: (R, S(0)) -> (R, S(0))");
}

TEST(ViewRule, PartialsOfAnyKindStayPartial) {
  for (const std::string terms :
       {"P(sum)", "P(max)", "P(product)", "P(bor)", "NormP(2)", "MaskP(sum, [8, 4], 0)"}) {
    for (const std::string name : {"aten.view", "aten._unsafe_view", "aten._reshape_alias"}) {
      std::string written = terms;
      std::erase(written, ' ');
      EXPECT_EQ(chosen({name, {{{2, 3}, written}}, {6}}),
                "view: (" + terms + ") -> (" + terms + ")");
    }
  }
}

TEST(ViewRule, OfNoElementsEveryRankHasAll) {
  EXPECT_EQ(viewed({0, 4}, "S(1)", {0}), "view: (S(1)) -> (R)");
}

std::string expanded(const Shape& from, const std::string& placements, const Shape& to) {
  return chosen({"aten.expand", {{from, placements}}, to});
}

TEST(ExpandRule, ShardsMoveRightByTheAddedDimensions) {
  EXPECT_EQ(expanded({4}, "S(0)", {4}), "view: (S(0)) -> (S(0))");
  EXPECT_EQ(expanded({4}, "S(0)", {2, 3, 4}), "view: (S(0)) -> (S(2))");
  EXPECT_EQ(expanded({6, 1}, "SS(0,2)", {3, 6, 4}), "view: (SS(0, 2)) -> (SS(1, 2))");
  EXPECT_EQ(expanded({4}, "P(max)", {3, 4}), "view: (P(max)) -> (P(max))");
}

TEST(ExpandRule, ExpandedDimensionsAreReplicated) {
  EXPECT_EQ(expanded({1, 4}, "S(0)", {3, 4}), "view: (R) -> (R)");
  EXPECT_EQ(expanded({1, 4}, "S(0)", {1, 4}), "view: (S(0)) -> (S(0))");
}

// The argument is the global size. Each rank must get its local size.
TEST(ExpandRule, KnowsWhichArgumentIsASize) {
  EXPECT_EQ(findRule("aten.expand").rule->sizeArg, "size");
  EXPECT_EQ(findRule("aten.select_backward").rule->sizeArg, "input_sizes");
  EXPECT_EQ(findRule("aten.neg").rule->sizeArg, "");
}

using Ints = std::vector<std::int64_t>;

TEST(DimensionRules, ShardsFollowTheirDimension) {
  EXPECT_EQ(
      chosen({"aten.permute", {{{4, 6, 8}, "S(2) S(0)"}}, {8, 4, 6}, {{"dims", Ints{-1, 0, 1}}}}),
      "view: (S(2), S(0)) -> (S(0), S(1))");
  EXPECT_EQ(chosen({"aten.transpose.int",
                    {{{4, 6, 8}, "SS(0,2) S(1)"}},
                    {8, 6, 4},
                    {{"dim0", std::int64_t{0}}, {"dim1", std::int64_t{-1}}}}),
            "view: (SS(0, 2), S(1)) -> (SS(2, 2), S(1))");
  EXPECT_EQ(chosen({"aten.t", {{{4, 6}, "S(0) P(sum)"}}, {6, 4}}),
            "view: (S(0), P(sum)) -> (S(1), P(sum))");
  EXPECT_EQ(
      chosen({"aten.unsqueeze", {{{4, 6}, "S(1) S(0)"}}, {4, 6, 1}, {{"dim", std::int64_t{-1}}}}),
      "view: (S(1), S(0)) -> (S(1), S(0))");
  EXPECT_EQ(chosen({"aten.squeeze.dim", {{{1, 6}, "S(1)"}}, {6}}), "view: (S(1)) -> (S(0))");
  EXPECT_EQ(
      chosen({"aten.repeat", {{{4, 6}, "S(0) S(1)"}}, {3, 4, 12}, {{"repeats", Ints{3, 1, 2}}}}),
      "view: (S(0), R) -> (S(1), R)");
}

const std::vector<Arg> kDim1 = {{"dim", std::int64_t{1}}};

TEST(DimensionRules, SplitDimensionsAreReplicated) {
  EXPECT_EQ(chosen({"aten.select.int", {{{4, 6, 8}, "S(0) S(2)"}}, {4, 8}, kDim1}),
            "sharded: (S(0), S(2)) -> (S(0), S(1))");
  EXPECT_EQ(chosen({"aten.select.int", {{{4, 6}, "S(1)"}}, {4}, kDim1}), "replicate: (R) -> (R)");
  EXPECT_EQ(chosen({"aten.slice.Tensor", {{{4, 6}, "S(0)"}}, {4, 2}, kDim1}),
            "sharded: (S(0)) -> (S(0))");
  EXPECT_EQ(chosen({"aten.slice.Tensor", {{{4, 6}, "S(1)"}}, {4, 2}, kDim1}),
            "replicate: (R) -> (R)");
  EXPECT_EQ(chosen({"aten.slice.Tensor", {{{4, 6}, "S(1)"}}, {4, 6}, kDim1}),
            "sharded: (S(1)) -> (S(1))");
  EXPECT_EQ(chosen({"aten.flip", {{{4, 6}, "S(0) S(1)"}}, {4, 6}, {{"dims", Ints{-1}}}}),
            "sharded x replicate: (S(0), R) -> (S(0), R)");
  EXPECT_EQ(chosen({"aten.roll", {{{4, 6}, "P(avg)"}}, {4, 6}, {{"dims", Ints{}}}}),
            "partial: (P(avg)) -> (P(avg))");
  EXPECT_EQ(chosen({"aten.tril", {{{4, 6, 6}, "S(0) S(2)"}}, {4, 6, 6}}),
            "sharded x replicate: (S(0), R) -> (S(0), R)");
}

// DTensor has no price for shards that no order of mesh dimensions produces, so only collectives
// count. Such a shard is gathered, although less would be sent if the other mesh dimension sharded
// it.
TEST(DimensionRules, AnUnknownOrderIsGathered) {
  const auto flipped = [](const std::string& placements) {
    return chosen({"aten.flip", {{{6, 4, 3}, placements}}, {6, 4, 3}, {{"dims", Ints{0}}}});
  };
  EXPECT_EQ(flipped("S(0) R"), "replicate x sharded: (R, S(1)) -> (R, S(1))");
  EXPECT_EQ(flipped("SS(0,3) R"), "replicate: (R, R) -> (R, R)");
}

TEST(DimensionRules, EmptyShardsStay) {
  EXPECT_EQ(
      chosen({"aten.repeat", {{{3, 4}, "S(0) S(1)"}}, {3, 8}, {{"repeats", Ints{1, 2}}}, {4, 2}}),
      "view: (S(0), R) -> (S(0), R)");
}

TEST(DimensionRules, ANumberHasNoDimensionToLose) {
  const Shape number;
  const std::int64_t none = 0, one = 1;
  const std::string kept = "partial: (P(sum)) -> (P(sum))";
  EXPECT_EQ(chosen({"aten.flip", {{number, "P(sum)"}}, {}, {{"dims", Ints{0}}}}), kept);
  EXPECT_EQ(chosen({"aten.unfold", {{number, "P(sum)"}}, {1}, {{"dimension", none}}}), kept);
  EXPECT_EQ(chosen({"aten.diagonal_backward",
                    {{number, "P(sum)"}},
                    {2, 2},
                    {{"dim1", none}, {"dim2", one}}}),
            kept);
}

TEST(UnfoldBackwardRule, CountsDimensionsOfTheInputOfUnfold) {
  const auto folded = [](const std::string& placements, std::int64_t dim) {
    return chosen({"aten.unfold_backward", {{{2, 4, 2}, placements}}, {4, 4}, {{"dim", dim}}});
  };
  EXPECT_EQ(folded("S(1)", 0), "sharded: (S(1)) -> (S(1))");
  EXPECT_EQ(folded("S(1)", -2), "sharded: (S(1)) -> (S(1))");
  EXPECT_EQ(folded("S(0)", -1), "sharded: (S(0)) -> (S(0))");
  EXPECT_EQ(folded("R", 9), "replicate: (R) -> (R)");  // libtorch refuses it
}

TEST(PadRule, OtherThanZeroIsNoTermOfASum) {
  const auto padded = [](const std::string& placements, const ArgValue& value) {
    return chosen({"aten.constant_pad_nd",
                   {{{4, 6}, placements}},
                   {4, 7},
                   {{"pad", Ints{0, 1}}, {"value", value}}});
  };
  EXPECT_EQ(padded("S(0)", std::int64_t{5}), "sharded: (S(0)) -> (S(0))");
  EXPECT_EQ(padded("P(sum)", std::int64_t{0}), "partial: (P(sum)) -> (P(sum))");
  EXPECT_EQ(padded("P(sum)", std::string("0.5")), "replicate: (R) -> (R)");
  EXPECT_EQ(padded("P(max)", std::int64_t{5}), "partial: (P(max)) -> (P(max))");
}

std::string joinedAlong1(const std::string& name, const std::string& a, const std::string& b,
                         const Shape& output) {
  return chosen({name, {{{4, 6}, a}, {{4, 6}, b}}, output, kDim1});
}

TEST(JoinRules, ShardsAndPartialsAreKept) {
  EXPECT_EQ(joinedAlong1("aten.cat", "S(0)", "R", {4, 12}), "sharded: (S(0)) (S(0)) -> (S(0))");
  EXPECT_EQ(joinedAlong1("aten.cat", "S(1)", "S(1)", {4, 12}), "replicate: (R) (R) -> (R)");
  EXPECT_EQ(joinedAlong1("aten.cat", "P(sum)", "R", {4, 12}),
            "partial: (P(sum)) (P(sum)) -> (P(sum))");
  EXPECT_EQ(joinedAlong1("aten.stack", "S(1)", "S(1)", {4, 2, 6}),
            "sharded: (S(1)) (S(1)) -> (S(2))");
  EXPECT_EQ(joinedAlong1("aten.stack", "NormP(2)", "NormP(2)", {4, 2, 6}),
            "partial: (NormP(2)) (NormP(2)) -> (NormP(2))");
  EXPECT_EQ(chosen({"aten.select_scatter", {{{4, 6, 8}, "S(2)"}, {{4, 8}, "R"}}, {4, 6, 8}, kDim1}),
            "sharded: (S(2)) (S(1)) -> (S(2))");
}

// Two lookups in one table have separate masks.
TEST(JoinRules, MaskedPartialsAreReducedFirst) {
  EXPECT_EQ(joinedAlong1("aten.cat", "MaskP(sum,[8,6],0)", "MaskP(sum,[8,6],0)", {4, 12}),
            "replicate: (R) (R) -> (R)");
}

TEST(JoinRules, AnEmptyTensorJoinsAny) {
  EXPECT_EQ(chosen({"aten.cat", {{{0}, "R"}, {{4, 6}, "S(0)"}}, {4, 6}, kDim1}),
            "sharded: (R) (S(0)) -> (S(0))");
}

TEST(DiagEmbedRule, KeepsShardsOfOtherDimensions) {
  const auto embedded = [](const std::string& x) {
    return chosen({"aten.diag_embed",
                   {{{6, 4}, x}},
                   {4, 6, 4},
                   {{"dim1", std::int64_t{0}}, {"dim2", std::int64_t{-1}}}});
  };
  EXPECT_EQ(embedded("S(0)"), "sharded: (S(0)) -> (S(1))");
  EXPECT_EQ(embedded("S(1)"), "replicate: (R) -> (R)");
  EXPECT_EQ(embedded("P(sum)"), "partial: (P(sum)) -> (P(sum))");
}

TEST(DiagonalScatterRule, ShardsSourcesWithoutTheDiagonal) {
  const auto scattered = [](const std::string& x) {
    return chosen({"aten.diagonal_scatter",
                   {{{4, 6, 4}, x}, {{6, 4}, "R"}},
                   {4, 6, 4},
                   {{"dim1", std::int64_t{0}}, {"dim2", std::int64_t{2}}}});
  };
  EXPECT_EQ(scattered("S(1)"), "sharded: (S(1)) (S(0)) -> (S(1))");
  EXPECT_EQ(scattered("S(0)"), "replicate: (R) (R) -> (R)");
}

TEST(Rot90Rule, KeepsOtherDimensions) {
  const auto turned = [](const std::string& x) {
    return chosen({"aten.rot90",
                   {{{6, 4, 2}, x}},
                   {6, 2, 4},
                   {{"dims", std::vector<std::int64_t>{1, -1}}, {"k", std::int64_t{1}}}});
  };
  EXPECT_EQ(turned("S(0)"), "sharded: (S(0)) -> (S(0))");
  EXPECT_EQ(turned("S(1)"), "replicate: (R) -> (R)");
}
}  // namespace
}  // namespace shardlens
