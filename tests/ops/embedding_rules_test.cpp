#include "tests/ops/written_call.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

constexpr auto kIds = DType::Int64;

// Returns the strategy for looking up six ids in a table of shape [8, 4].
std::string lookup(const std::string& table, const std::string& ids) {
  return chosen({"aten.embedding", {{{8, 4}, table}, {{6}, ids, kIds}}, {6, 4}});
}

TEST(EmbeddingRule, RunsOnThePlacementsOfTableAndIds) {
  EXPECT_EQ(lookup("R", "R"), "replicate: (R) (R) -> (R)");
  EXPECT_EQ(lookup("S(1)", "R"), "column-wise: (S(1)) (R) -> (S(1))");
  EXPECT_EQ(lookup("R", "S(0)"), "batch: (R) (S(0)) -> (S(0))");
  EXPECT_EQ(lookup("S(0)", "R"),
            "row-wise: (S(0)) (MaskP(sum, [8, 4], 0)) -> (MaskP(sum, [8, 4], 0))");
}

TEST(EmbeddingRule, MovesTheSmallerOfTwo) {
  EXPECT_EQ(lookup("S(1)", "S(0)"), "column-wise: (S(1)) (R) -> (S(1))");
  EXPECT_EQ(lookup("S(0)", "S(0)"), "batch: (R) (S(0)) -> (S(0))");
  EXPECT_EQ(chosen({"aten.embedding", {{{8, 4}, "S(1)"}, {{64}, "S(0)", kIds}}, {64, 4}}),
            "batch: (R) (S(0)) -> (S(0))");
}

TEST(EmbeddingRule, ColumnsFollowTheIdsDimensions) {
  EXPECT_EQ(chosen({"aten.embedding", {{{8, 4}, "S(1)"}, {{2, 3}, "R", kIds}}, {2, 3, 4}}),
            "column-wise: (S(1)) (R) -> (S(2))");
  EXPECT_EQ(chosen({"aten.embedding", {{{8, 4}, "R"}, {{2, 3}, "S(1)", kIds}}, {2, 3, 4}}),
            "batch: (R) (S(1)) -> (S(1))");
}

TEST(EmbeddingRule, EachMeshDimensionHasASeparateStrategy) {
  EXPECT_EQ(lookup("R S(0)", "S(0) R"),
            "batch x row-wise: (R, S(0)) (S(0), MaskP(sum, [8, 4], 0)) -> "
            "(S(0), MaskP(sum, [8, 4], 0))");
  EXPECT_EQ(lookup("S(0) S(1)", "R R"),
            "row-wise x column-wise: (S(0), S(1)) (MaskP(sum, [8, 4], 0), R) -> "
            "(MaskP(sum, [8, 4], 0), S(1))");
  EXPECT_EQ(lookup("S(0) S(0)", "R R"),
            "row-wise: (S(0), S(0)) (MaskP(sum, [8, 4], 0), MaskP(sum, [8, 4], 0)) -> "
            "(MaskP(sum, [8, 4], 0), MaskP(sum, [8, 4], 0))");
  EXPECT_EQ(lookup("R R", "S(0) S(0)"), "batch: (R, R) (S(0), S(0)) -> (S(0), S(0))");
}

// libtorch's kernels divide by the number of local columns. 4 columns over 3 ranks are 2, 2, 0.
TEST(EmbeddingBagRule, NoRankIsLeftWithoutColumns) {
  const auto bags = [](std::int64_t columns) {
    return chosen({"aten._embedding_bag",
                   {{{2, columns}, "S(1)"}, {{6}, "R", kIds}, {{2}, "R", kIds}},
                   {2, columns},
                   {{"mode", std::int64_t{0}}},
                   {3},
                   {{6}, {2}, {2}}});
  };
  EXPECT_EQ(bags(4), "replicate: (R) (R) (R) -> (R) (R) (R) (R)");
  EXPECT_EQ(bags(5), "column-wise: (S(1)) (R) (R) -> (S(1)) (R) (R) (R)");
}

// Each rank needs at least one row of a sharded table, or one of the sharded ids.
TEST(EmbeddingRule, ShardsNoTableOfFewerRowsThanRanks) {
  EXPECT_EQ(chosen({"aten.embedding", {{{3, 4}, "S(0)"}, {{6}, "R", kIds}}, {6, 4}, {}, {4}}),
            "replicate: (R) (R) -> (R)");
  EXPECT_EQ(chosen({"aten.embedding", {{{4, 4}, "S(0)"}, {{6}, "R", kIds}}, {6, 4}, {}, {4}}),
            "row-wise: (S(0)) (MaskP(sum, [4, 4], 0)) -> (MaskP(sum, [4, 4], 0))");
  EXPECT_EQ(chosen({"aten.embedding", {{{8, 4}, "R"}, {{3}, "S(0)", kIds}}, {3, 4}, {}, {4}}),
            "replicate: (R) (R) -> (R)");
  EXPECT_EQ(chosen({"aten.embedding", {{{8, 4}, "R"}, {{4}, "S(0)", kIds}}, {4, 4}, {}, {4}}),
            "batch: (R) (S(0)) -> (S(0))");
}

TEST(EmbeddingRule, GathersAStridedTable) {
  EXPECT_EQ(lookup("SS(0,2)", "R"), "replicate: (R) (R) -> (R)");
}

TEST(EmbeddingRule, GivesRowsOfTheTablesDType) {
  const auto call = schemaOf({"aten.embedding", {{{8, 4}, "R"}, {{2, 3}, "R", kIds}}, {}});
  const auto outputs = findRule("aten.embedding").rule->outputs(call);
  EXPECT_EQ(outputs, (std::vector<TensorMeta>{{{2, 3, 4}, {12, 4, 1}, DType::Float32}}));
}

const std::vector<Arg> kRows = {{"num_weights", std::int64_t{8}}, {"scale_grad_by_freq", false}};

std::string backward(const Shape& gradient, const std::string& placements, const Shape& ids,
                     const std::string& idPlacements) {
  return chosen({"aten.embedding_dense_backward",
                 {{gradient, placements}, {ids, idPlacements, kIds}},
                 {8, 4},
                 kRows});
}

TEST(EmbeddingBackwardRule, RunsOnThePlacementsOfGradientAndIds) {
  EXPECT_EQ(backward({6, 4}, "R", {6}, "R"), "replicate: (R) (R) -> (R)");
  EXPECT_EQ(backward({6, 4}, "S(1)", {6}, "R"), "column-wise: (S(1)) (R) -> (S(1))");
  EXPECT_EQ(backward({6, 4}, "S(0)", {6}, "S(0)"), "batch: (S(0)) (S(0)) -> (P(sum))");
  EXPECT_EQ(backward({6, 4}, "P(sum)", {6}, "R"), "partial: (P(sum)) (R) -> (P(sum))");
  EXPECT_EQ(backward({2, 3, 4}, "S(2)", {2, 3}, "R"), "column-wise: (S(2)) (R) -> (S(1))");
  EXPECT_EQ(backward({2, 3, 4}, "S(1)", {2, 3}, "S(1)"), "batch: (S(1)) (S(1)) -> (P(sum))");
}

// The ids are masked, so each rank sums the gradients of its own rows.
TEST(EmbeddingBackwardRule, MaskedIdsGiveATableShardedByRows) {
  EXPECT_EQ(backward({6, 4}, "R", {6}, "MaskP(sum,[8,4],0)"),
            "row-wise: (R) (MaskP(sum, [8, 4], 0)) -> (S(0))");
  EXPECT_EQ(backward({6, 4}, "S(0) R", {6}, "S(0) MaskP(sum,[8,4],0)"),
            "batch x row-wise: (S(0), R) (S(0), MaskP(sum, [8, 4], 0)) -> (P(sum), S(0))");
}

TEST(EmbeddingRenormRule, LeavesTheTableWhereItIs) {
  const auto renorm = [](const std::string& table, const std::string& ids) {
    return chosen({"aten.embedding_renorm", {{{8, 4}, table}, {{6}, ids, kIds}}, {8, 4}});
  };
  EXPECT_EQ(renorm("S(0)", "R"), "row-wise: (S(0)) (R) -> (S(0))");
  EXPECT_EQ(renorm("S(1)", "S(0)"), "column-wise: (S(1)) (R) -> (S(1))");
  EXPECT_EQ(renorm("SS(0,2) S(0)", "R R"), "row-wise: (SS(0, 2), S(0)) (R, R) -> (SS(0, 2), S(0))");
}

TEST(EmbeddingBackwardRule, IdsAreShardedAsTheGradientIs) {
  EXPECT_EQ(backward({6, 4}, "S(0)", {6}, "R"), "batch: (S(0)) (S(0)) -> (P(sum))");
  EXPECT_EQ(backward({6, 4}, "S(0) S(1)", {6}, "R R"),
            "batch x column-wise: (S(0), S(1)) (S(0), R) -> (P(sum), S(1))");
}

TEST(EmbeddingBackwardRule, GivesATableOfTheGradientsDType) {
  const auto call = schemaOf({"aten.embedding_dense_backward",
                              {{{6, 4}, "R", DType::Float64}, {{6}, "R", kIds}},
                              {},
                              kRows});
  const auto outputs = findRule("aten.embedding_dense_backward").rule->outputs(call);
  EXPECT_EQ(outputs, (std::vector<TensorMeta>{{{8, 4}, {4, 1}, DType::Float64}}));
}

}  // namespace
}  // namespace shardlens
