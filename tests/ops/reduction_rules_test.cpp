#include "tests/ops/written_call.h"

#include <gtest/gtest.h>

#include <limits>

namespace shardlens {
namespace {

std::string sum(const std::string& placements, const Shape& shape = {6, 4},
                std::vector<int> mesh = {}) {
  return chosen({"aten.sum", {{shape, placements}}, {}, {}, std::move(mesh)});
}

TEST(SumRule, LeavesATermOnEachRank) {
  EXPECT_EQ(sum("S(0)"), "partial result: (S(0)) -> (P(sum))");
  EXPECT_EQ(sum("S(1)"), "partial result: (S(1)) -> (P(sum))");
  EXPECT_EQ(sum("SS(0,2)"), "partial result: (SS(0, 2)) -> (P(sum))");
  EXPECT_EQ(sum("P(sum)"), "partial: (P(sum)) -> (P(sum))");
  EXPECT_EQ(sum("R"), "replicate: (R) -> (R)");
  EXPECT_EQ(sum("S(0) P(sum)"), "partial result x partial: (S(0), P(sum)) -> (P(sum), P(sum))");
}

TEST(SumRule, AMaskedSumIsASum) {
  EXPECT_EQ(sum("MaskP(sum,[8,4],0)"), "partial: (P(sum)) -> (P(sum))");
}

// The result is not sharded, although a reduce_scatter would send less, because no input is.
TEST(SumRule, OtherPartialsAreReducedFirst) {
  EXPECT_EQ(sum("P(max)"), "replicate: (R) -> (R)");
  EXPECT_EQ(sum("P(max)", {}), "replicate: (R) -> (R)");
}

TEST(SumRule, UnevenAndEmptyShardsStay) {
  EXPECT_EQ(sum("S(0)", {3}, {4}), "partial result: (S(0)) -> (P(sum))");
  EXPECT_EQ(sum("S(0)", {0}, {4}), "partial result: (S(0)) -> (P(sum))");
}

using Dims = std::vector<std::int64_t>;

std::string sumDims(const std::string& placements, const ArgValue& dims, bool keepDims = false) {
  const std::vector<Arg> args = {{"dim", dims}, {"keepdim", keepDims}};
  return chosen({"aten.sum.dim_IntList", {{{2, 4, 6}, placements}}, {}, args});
}

TEST(SumDimsRule, RemainingDimensionsMoveLeft) {
  EXPECT_EQ(sumDims("S(1)", Dims{0}), "sharded: (S(1)) -> (S(0))");
  EXPECT_EQ(sumDims("S(2)", Dims{0, 1}), "sharded: (S(2)) -> (S(0))");
  EXPECT_EQ(sumDims("S(0)", Dims{1}), "sharded: (S(0)) -> (S(0))");
  EXPECT_EQ(sumDims("SS(2,2)", Dims{1}), "sharded: (SS(2, 2)) -> (SS(1, 2))");
}

TEST(SumDimsRule, OrStaysInPlaceWithKeepdim) {
  EXPECT_EQ(sumDims("S(1)", Dims{0}, /*keepDims=*/true), "sharded: (S(1)) -> (S(1))");
  EXPECT_EQ(sumDims("S(2)", Dims{0, 1}, /*keepDims=*/true), "sharded: (S(2)) -> (S(2))");
}

TEST(SumDimsRule, ReducedShardsBecomePartial) {
  EXPECT_EQ(sumDims("S(1)", Dims{1}), "partial result: (S(1)) -> (P(sum))");
  EXPECT_EQ(sumDims("S(2)", Dims{-1}), "partial result: (S(2)) -> (P(sum))");
  EXPECT_EQ(sumDims("S(1)", Dims{-1}), "sharded: (S(1)) -> (S(1))");
  EXPECT_EQ(sumDims("S(0) S(2)", Dims{2}),
            "sharded x partial result: (S(0), S(2)) -> (S(0), P(sum))");
}

TEST(SumDimsRule, NoDimensionMeansAll) {
  EXPECT_EQ(sumDims("S(1)", Dims{}), "partial result: (S(1)) -> (P(sum))");
  EXPECT_EQ(sumDims("S(1)", std::monostate{}), "partial result: (S(1)) -> (P(sum))");
}

std::string over(const std::string& name, const std::string& placements, const ArgValue& dims,
                 DType dtype = DType::Float32) {
  return chosen({name, {{{2, 4, 6}, placements, dtype}}, {}, {{"dim", dims}}});
}

TEST(SumRule, IsLinear) {
  EXPECT_EQ(sum("P(avg)"), "partial: (P(avg)) -> (P(avg))");
  EXPECT_EQ(over("aten.sum.dim_IntList", "P(sum)", Dims{0}, DType::Bool), "replicate: (R) -> (R)");
}

// Returns the placements that the input of this operator takes if it converts between these dtypes.
std::string taken(const std::string& name, const std::string& placements, DType from, DType to) {
  auto call = schemaOf({name, {{{6, 4}, placements, from}}, {6, 4}, {{"dim", 0L}}});
  call.outputs.front().dtype = to;
  return toText(propagate(call, findRule(name), {})->chosen.inputs.front());
}

TEST(SumRule, PartialsAreConvertedIfThatIsExact) {
  const auto f32 = DType::Float32, i32 = DType::Int32, i64 = DType::Int64;
  for (const std::string name : {"aten.sum.dim_IntList", "aten.cumsum"}) {
    EXPECT_EQ(taken(name, "P(sum)", f32, f32), "(P(sum))") << name;
    EXPECT_EQ(taken(name, "P(sum)", f32, DType::Float64), "(P(sum))") << name;
    EXPECT_EQ(taken(name, "P(avg)", f32, DType::Float64), "(P(avg))") << name;
    EXPECT_EQ(taken(name, "P(sum)", i64, i64), "(P(sum))") << name;
    EXPECT_EQ(taken(name, "P(sum)", i32, i64), "(P(sum))") << name;
    EXPECT_NE(taken(name, "P(sum)", f32, i64), "(P(sum))") << name;
    EXPECT_NE(taken(name, "P(sum)", i32, f32), "(P(sum))") << name;
  }
  EXPECT_EQ(taken("aten.cumsum", "P(sum)", f32, i64), "(R)");
  EXPECT_EQ(taken("aten.cumsum", "P(sum)", DType::UInt8, i64), "(R)");
  EXPECT_EQ(taken("aten.cumsum", "P(avg)", f32, DType::Float16), "(R)");
  EXPECT_EQ(taken("aten.prod.dim_int", "P(product)", i32, i64), "(P(product))");
}

TEST(SumDimsRule, KeepsEachStrideOfADimensionShardedTwice) {
  EXPECT_EQ(chosen({"aten.sum", {{{16}, "SS(0,2) S(0) SS(0,2)"}}}),
            "partial result: (SS(0, 2), S(0), SS(0, 2)) -> (P(sum), P(sum), P(sum))");
  EXPECT_EQ(chosen({"aten.sum.dim_IntList", {{{2, 16}, "S(1) SS(1,2)"}}, {}, {{"dim", Dims{0}}}}),
            "sharded: (S(1), SS(1, 2)) -> (S(0), SS(0, 2))");
}

TEST(NansumRule, GivesPartialsButAcceptsNone) {
  EXPECT_EQ(over("aten.nansum", "S(1)", Dims{1}), "partial result: (S(1)) -> (P(sum))");
  EXPECT_EQ(over("aten.nansum", "P(sum)", Dims{1}), "replicate: (R) -> (R)");
}

TEST(MeanRule, AveragesTheRanksMeans) {
  EXPECT_EQ(over("aten.mean.dim", "S(1)", Dims{1}), "partial result: (S(1)) -> (P(avg))");
  EXPECT_EQ(over("aten.mean.dim", "S(1)", Dims{0}), "sharded: (S(1)) -> (S(0))");
  EXPECT_EQ(over("aten.mean.dim", "P(sum) P(avg)", Dims{0}),
            "partial: (P(sum), P(avg)) -> (P(sum), P(avg))");
}

TEST(MeanRule, UnevenAndEmptyShardsStay) {
  EXPECT_EQ(chosen({"aten.mean", {{{5}, "S(0)"}}, {}, {}, {4}}),
            "partial result: (S(0)) -> (P(avg))");
}

TEST(FoldRule, PartialsFoldAsElementsDo) {
  EXPECT_EQ(over("aten.prod.dim_int", "S(1)", 1L), "partial result: (S(1)) -> (P(product))");
  EXPECT_EQ(over("aten.prod.dim_int", "P(product)", 1L), "partial: (P(product)) -> (P(product))");
  EXPECT_EQ(over("aten.amax", "S(1) P(max)", Dims{1}),
            "partial result x partial: (S(1), P(max)) -> (P(max), P(max))");
  EXPECT_EQ(over("aten.amin", "S(1)", Dims{}), "partial result: (S(1)) -> (P(min))");
  EXPECT_EQ(chosen({"aten.max", {{{5}, "S(0)"}}, {}, {}, {4}}),
            "partial result: (S(0)) -> (P(max))");
  EXPECT_EQ(over("aten.amax", "P(sum)", Dims{1}), "replicate: (R) -> (R)");
}

TEST(TruthRule, AnyIsTheGreatestAndAllTheLeast) {
  EXPECT_EQ(over("aten.any.dim", "S(1)", 1L), "partial result: (S(1)) -> (P(max))");
  EXPECT_EQ(over("aten.all.dim", "S(1)", 1L), "partial result: (S(1)) -> (P(min))");
  EXPECT_EQ(over("aten.any.dim", "P(max)", 1L, DType::Bool), "partial: (P(max)) -> (P(max))");
  EXPECT_EQ(over("aten.any.dim", "P(max)", 1L), "replicate: (R) -> (R)");
}

TEST(TruthRule, AnEmptyListNamesNoDimension) {
  EXPECT_EQ(over("aten.any.dims", "S(1)", Dims{}), "sharded: (S(1)) -> (S(1))");
  EXPECT_EQ(over("aten.any.dims", "S(1)", std::monostate{}), "partial result: (S(1)) -> (P(max))");
}

TEST(WholeAlongRule, TheReducedDimensionIsReplicated) {
  for (const auto* name : {"aten.max.dim", "aten.std.correction", "aten.median.dim",
                           "aten.kthvalue", "aten.logsumexp"}) {
    EXPECT_EQ(over(name, "S(1)", 0L), "sharded: (S(1)) -> (S(0))");
    EXPECT_EQ(over(name, "SS(2,2)", 0L), "sharded: (SS(2, 2)) -> (SS(1, 2))");
    EXPECT_EQ(over(name, "S(1)", 1L), "replicate: (R) -> (R)");
  }
  EXPECT_EQ(chosen({"aten.median", {{{4, 6}, "S(1)"}}}), "replicate: (R) -> (R)");
}

TEST(ScanRule, WorksAlongOneDimension) {
  for (const auto* name : {"aten._softmax", "aten.sort", "aten.topk", "aten.cummax"}) {
    EXPECT_EQ(over(name, "S(2)", 0L), "sharded: (S(2)) -> (S(2))");
    EXPECT_EQ(over(name, "S(1)", -2L), "replicate: (R) -> (R)");
  }
  EXPECT_EQ(over("aten.cumsum", "P(sum)", 0L), "partial: (P(sum)) -> (P(sum))");
  EXPECT_EQ(over("aten.cumprod", "P(sum)", 0L), "replicate: (R) -> (R)");
}

std::string norm(const std::string& placements, const ArgValue& order) {
  return chosen({"aten.linalg_vector_norm", {{{6, 4}, placements}}, {}, {{"ord", order}}});
}

TEST(NormRule, GivesPartialsOfItsOrder) {
  EXPECT_EQ(norm("S(0)", 2L), "partial result: (S(0)) -> (NormP(2))");
  EXPECT_EQ(norm("S(0) SS(1,2)", 1.5),
            "partial result: (S(0), SS(1, 2)) -> (NormP(1.5), NormP(1.5))");
  EXPECT_EQ(norm("S(0)", 0L), "partial result: (S(0)) -> (P(sum))");
  EXPECT_EQ(norm("S(0)", std::numeric_limits<double>::infinity()),
            "partial result: (S(0)) -> (P(max))");
  EXPECT_EQ(norm("S(0)", -std::numeric_limits<double>::infinity()),
            "partial result: (S(0)) -> (P(min))");
  EXPECT_EQ(norm("P(sum)", 2L), "replicate: (R) -> (R)");
}

TEST(ArgmaxRule, ShardsStayAndRanksAgree) {
  EXPECT_EQ(over("aten.argmax", "S(1)", 1L), "agreed: (S(1)) -> (R)");
  EXPECT_EQ(over("aten.argmax", "SS(2,2) S(1)", 1L), "agreed: (SS(2, 2), S(1)) -> (SS(1, 2), R)");
  EXPECT_EQ(over("aten.argmax", "S(1) P(sum)", std::monostate{}), "agreed: (S(1), R) -> (R, R)");
  EXPECT_EQ(chosen({"aten.argmin", {{{5}, "S(0)"}}, {}, {}, {4}}), "agreed: (S(0)) -> (R)");
  EXPECT_EQ(chosen({"aten.argmin", {{{3}, "S(0) P(max)"}}, {}, {}, {4, 2}}),
            "agreed: (S(0), R) -> (R, R)");
}

std::string selectedBackward(const std::string& gradient, const std::string& indices) {
  return chosen({"aten.value_selecting_reduction_backward",
                 {{{4}, gradient}, {{4}, indices, DType::Int64}},
                 {6, 4},
                 {{"dim", 0L}, {"keepdim", false}}});
}

TEST(SelectedBackwardRule, GoesBackAlongTheDimension) {
  EXPECT_EQ(selectedBackward("S(0)", "S(0)"), "sharded: (S(0)) (S(0)) -> (S(1))");
  EXPECT_EQ(selectedBackward("P(sum)", "R"), "partial: (P(sum)) (R) -> (P(sum))");
}

TEST(AMinMaxRule, LeavesBoundsOfBothKinds) {
  const auto bounds = [](const std::string& x, const ArgValue& dim) {
    return chosen({"aten.aminmax", {{{6, 4}, x}}, {4}, {{"dim", dim}}, {}, {{4}}});
  };
  EXPECT_EQ(bounds("S(0)", std::monostate{}), "partial result: (S(0)) -> (P(min)) (P(max))");
  EXPECT_EQ(bounds("S(0)", std::int64_t{0}), "partial result: (S(0)) -> (P(min)) (P(max))");
  EXPECT_EQ(bounds("S(1)", std::int64_t{0}), "sharded: (S(1)) -> (S(0)) (S(0))");
}

TEST(TraceRule, IsOfPartsOfTheDiagonal) {
  const auto trace = [](const std::string& x) { return chosen({"aten.trace", {{{6, 4}, x}}}); };
  EXPECT_EQ(trace("S(0)"), "partial result: (S(0)) -> (P(sum))");
  EXPECT_EQ(trace("S(1) S(0)"), "partial result: (S(1), S(0)) -> (P(sum), P(sum))");
  EXPECT_EQ(trace("P(avg)"), "partial: (P(avg)) -> (P(avg))");
}

TEST(DistRule, IsANormOfRanksNorms) {
  const auto dist = [](const std::string& a, double p) {
    return chosen({"aten.dist", {{{6, 4}, a}, {{4}, "R"}}, {}, {{"p", p}}});
  };
  EXPECT_EQ(dist("S(0)", 2), "sharded: (S(0)) (R) -> (NormP(2))");
  EXPECT_EQ(dist("S(1)", 0), "sharded: (S(1)) (S(0)) -> (P(sum))");
  EXPECT_EQ(dist("S(0)", std::numeric_limits<double>::infinity()),
            "sharded: (S(0)) (R) -> (P(max))");
}

TEST(RenormRule, IsShardedAlongTheScaledDimension) {
  const auto renorm = [](const std::string& x) {
    return chosen({"aten.renorm", {{{6, 4}, x}}, {6, 4}, {{"dim", std::int64_t{-1}}}});
  };
  EXPECT_EQ(renorm("S(1)"), "sharded: (S(1)) -> (S(1))");
  EXPECT_EQ(renorm("S(0)"), "replicate: (R) -> (R)");
}
}  // namespace
}  // namespace shardlens
