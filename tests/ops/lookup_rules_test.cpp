#include "tests/ops/written_call.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

TEST(LookupRule, ShardsTheValuesAndReplicatesTheSortedSequence) {
  const auto isIn = [](const std::string& x, const std::string& among) {
    return chosen({"aten.isin.Tensor_Tensor", {{{6, 4}, x}, {{6, 4}, among}}, {6, 4}});
  };
  EXPECT_EQ(isIn("S(1)", "R"), "sharded: (S(1)) (R) -> (S(1))");
  EXPECT_EQ(isIn("S(0)", "S(0)"), "sharded: (S(0)) (R) -> (S(0))");
  EXPECT_EQ(chosen({"aten.bucketize.Tensor", {{{6, 4}, "S(0)"}, {{8}, "S(0)"}}, {6, 4}}),
            "sharded: (S(0)) (R) -> (S(0))");
}

TEST(SearchSortedRule, SequencesOfRowsAreShardedWithTheRows) {
  const auto searched = [](const Shape& sequence, const std::string& a, const std::string& b) {
    return chosen({"aten.searchsorted.Tensor", {{sequence, a}, {{6, 4}, b}}, {6, 4}});
  };
  EXPECT_EQ(searched({8}, "R", "S(1)"), "sharded: (R) (S(1)) -> (S(1))");
  EXPECT_EQ(searched({6, 8}, "S(0)", "S(0)"), "sharded: (S(0)) (S(0)) -> (S(0))");
  EXPECT_EQ(searched({6, 8}, "R", "S(1)"), "sharded: (R) (S(1)) -> (S(1))");
  EXPECT_EQ(searched({6, 8}, "S(1)", "R"), "replicate: (R) (R) -> (R)");
}

TEST(HistogramRule, CountsPartsOfOneRange) {
  const auto histc = [](std::int64_t least, std::int64_t most) {
    return chosen({"aten.histc",
                   {{{6, 4}, "S(1)"}},
                   {10},
                   {{"bins", std::int64_t{10}}, {"min", least}, {"max", most}}});
  };
  EXPECT_EQ(histc(0, 1), "partial result: (S(1)) -> (P(sum))");
  EXPECT_EQ(histc(0, 0), "replicate: (R) -> (R)");
}

TEST(TakeRule, IsShardedAsTheIndexIs) {
  const auto take = [](const std::string& x, const std::string& index) {
    return chosen({"aten.take", {{{6, 4}, x}, {{8}, index, DType::Int64}}, {8}});
  };
  EXPECT_EQ(take("R", "S(0)"), "batch: (R) (S(0)) -> (S(0))");
  EXPECT_EQ(take("P(sum)", "R"), "partial: (P(sum)) (R) -> (P(sum))");
  EXPECT_EQ(take("S(0)", "R"), "replicate: (R) (R) -> (R)");
}

TEST(PutRule, EachRankWritesItsElements) {
  const auto written = [](const std::string& name, const std::string& x, const std::string& given) {
    return chosen({name, {{{64, 64}, x}, {{4}, given, DType::Int64}, {{4}, "R"}}, {64, 64}});
  };
  EXPECT_EQ(written("aten.put", "S(1)", "R"), "parts: (S(1)) (R) (R) -> (S(1))");
  EXPECT_EQ(written("aten.put", "S(0)", "S(0)"), "parts: (S(0)) (R) (R) -> (S(0))");
  EXPECT_EQ(written("aten.put", "P(sum)", "R").substr(0, 7), "partial");
  EXPECT_EQ(written("aten.masked_scatter", "S(0)", "R"), "parts: (S(0)) (R) (R) -> (S(0))");
}

TEST(MaskedIndexRule, AMaskIsShardedAsItsInput) {
  const std::vector<Arg> indices{{"indices", std::vector<TensorIndex>{{2}}}};
  const auto read = [&](const std::string& x, const Shape& mask) {
    return chosen({"aten._unsafe_masked_index",
                   {{{6, 4}, x}, {mask, "R", DType::Bool}, {{3}, "R", DType::Int64}},
                   {3, 4},
                   indices});
  };
  EXPECT_EQ(read("S(1)", {3, 4}), "sharded: (S(1)) (S(1)) (R) -> (S(1))");
  EXPECT_EQ(read("S(1)", {3, 1}), "sharded: (S(1)) (R) (R) -> (S(1))");
  EXPECT_EQ(read("P(max)", {3, 4}), "partial: (P(max)) (R) (R) -> (P(max))");
  EXPECT_EQ(read("P(sum)", {3, 4}), "replicate: (R) (R) (R) -> (R)");  // the value is not partial
  const auto added = [&](const std::string& x, const Shape& values) {
    return chosen({"aten._unsafe_masked_index_put_accumulate",
                   {{{6, 4}, x}, {{3, 4}, "R", DType::Bool}, {{3}, "R", DType::Int64}, {values, x}},
                   {6, 4},
                   indices});
  };
  EXPECT_EQ(added("S(1)", {3, 4}), "sharded: (S(1)) (S(1)) (R) (S(1)) -> (S(1))");
  EXPECT_EQ(added("S(1)", {3, 1}), "replicate: (R) (R) (R) (R) -> (R)");
  EXPECT_EQ(added("P(sum)", {3, 4}), "partial: (P(sum)) (R) (R) (P(sum)) -> (P(sum))");
}

TEST(DataSizeRule, NothingIsSharded) {
  EXPECT_EQ(chosen({"aten.nonzero", {{{6, 4}, "S(0)"}}, {3, 2}}), "replicate: (R) -> (R)");
}

TEST(CopyRule, IsThatOfTheView) {
  EXPECT_EQ(findRule("aten.permute_copy").rule, findRule("aten.permute").rule);
  EXPECT_EQ(findRule("aten.select_copy.int").rule, findRule("aten.select.int").rule);
  EXPECT_EQ(findRule("aten.squeeze_copy.dims").rule, findRule("aten.squeeze.dims").rule);
  EXPECT_NE(findRule("aten.index_copy").rule, nullptr);
  EXPECT_EQ(findRule("aten.values_copy").rule, nullptr);
}

}  // namespace
}  // namespace shardlens
