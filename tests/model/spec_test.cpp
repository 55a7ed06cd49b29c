#include "core/model/spec.h"

#include "tests/model/written.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

TEST(Spec, IsWrittenWithDTypeShapeAndPlacements) {
  EXPECT_EQ(toText(specOf(meshOf({2, 2}), {10, 3}, "S(0) R")), "f32[10, 3](S(0), R)");
  EXPECT_EQ(toText(specOf(meshOf({2}), {}, "P(sum)", DType::Int64)), "i64[](P(sum))");
}

TEST(Spec, IsComparedByValue) {
  const auto mesh = meshOf({2});
  const Spec spec = specOf(mesh, {4, 4}, "S(0)");
  EXPECT_EQ(spec, specOf(meshOf({2}), {4, 4}, "S(0)"));
  EXPECT_NE(spec, specOf(mesh, {4, 4}, "S(1)"));
  EXPECT_NE(spec, specOf(mesh, {4, 5}, "S(0)"));
  EXPECT_NE(spec, specOf(mesh, {4, 4}, "S(0)", DType::Float64));
  EXPECT_NE(spec, specOf(meshOf({4}), {4, 4}, "S(0)"));
  Spec transposed = spec;
  transposed.meta.strides = {1, 4};
  EXPECT_NE(spec, transposed);
}

TEST(Shape, CountsItsElements) {
  EXPECT_EQ(elementCount({}), 1);
  EXPECT_EQ(elementCount({2, 3, 5}), 30);
  EXPECT_EQ(elementCount({2, 0, 5}), 0);
}

// libtorch computes strides as if an empty dimension had one element.
TEST(Shape, HasLibtorchsContiguousStrides) {
  EXPECT_EQ(contiguousStrides({}), Shape{});
  EXPECT_EQ(contiguousStrides({2, 3, 5}), (Shape{15, 5, 1}));
  EXPECT_EQ(contiguousStrides({2, 0, 5}), (Shape{5, 5, 1}));
}

std::string verified(const std::string& placements, std::vector<int> mesh, int ndim) {
  const auto result = verifyPlacements(placementsOf(placements), *meshOf(std::move(mesh)), ndim);
  return result ? toText(*result) : result.error().message;
}

TEST(VerifyPlacements, NegativeDimensionsCountFromTheEnd) {
  EXPECT_EQ(verified("S(-1) SS(-3,2)", {2, 2}, 3), "(S(2), SS(0, 2))");
  EXPECT_EQ(verified("S(2) S(0)", {2, 2}, 3), "(S(2), S(0))");
}

TEST(VerifyPlacements, RefusesDimensionsThatTheTensorLacks) {
  EXPECT_EQ(verified("S(3)", {2}, 3),
            "placement S(3) on a tensor of 3 dimensions: expected a dimension from -3 to 2");
  EXPECT_EQ(verified("R SS(-4,2)", {2, 2}, 3),
            "placement SS(-4, 2) on a tensor of 3 dimensions: expected a dimension from -3 to 2");
  EXPECT_EQ(verified("S(0)", {2}, 0),
            "placement S(0) on a tensor without dimensions: expected no shard");
  EXPECT_EQ(verified("R", {2}, 0), "(R)");
}

TEST(VerifyPlacements, RefusesMoreOrFewerThanMeshDimensions) {
  EXPECT_EQ(verified("S(0)", {2, 2}, 1),
            "placements (S(0)): got 1, expected one placement for each of the 2 mesh dimensions");
  EXPECT_EQ(verified("R R", {4}, 1),
            "placements (R, R): got 2, expected one placement for each of the 1 mesh dimensions");
}

TEST(VerifyPlacements, SumsAndAveragesMayBeMixed) {
  EXPECT_EQ(verified("P(sum) P(avg)", {2, 2}, 1), "(P(sum), P(avg))");
  EXPECT_EQ(verified("P(max) P(max)", {2, 2}, 1), "(P(max), P(max))");
}

TEST(VerifyPlacements, AMaskedSumIsASum) {
  EXPECT_EQ(verified("MaskP(sum,[4,2],0) P(sum)", {2, 2}, 1), "(MaskP(sum, [4, 2], 0), P(sum))");
  EXPECT_EQ(verified("MaskP(sum,[4,2],0) P(max)", {2, 2}, 1),
            "Mixed Partial reduce types are not supported in the same placement list. Found reduce "
            "ops: {'sum', 'max'}. Please ensure all Partial placements use the same reduce "
            "operation.");
}

TEST(VerifyPlacements, MasksOfTwoTablesDoNotMix) {
  EXPECT_EQ(verified("MaskP(sum,[4,2],0) MaskP(sum,[6,2],0)", {2, 2}, 1),
            "Mixed Partial reduce types are not supported in the same placement list. Found reduce "
            "ops: {'MaskP(sum, [4, 2], 0)', 'MaskP(sum, [6, 2], 0)'}. Please ensure all Partial "
            "placements use the same reduce operation.");
}

TEST(VerifyPlacements, RefusesMasksOfNoTable) {
  const auto refused = [](MaskPartial masked) {
    return verifyPlacements({masked}, *DeviceMesh::make({2}), 1).error().message;
  };
  EXPECT_EQ(refused({}), "offset_shape needs to be set for _MaskPartial");
  EXPECT_EQ(refused({ReduceOp::Sum, {10, 3}, 2}),
            "placement MaskP(sum, [10, 3], 2): expected an offset_dim from 0 to 1");
  EXPECT_EQ(refused({ReduceOp::Sum, {10, 3}, -1}),
            "placement MaskP(sum, [10, 3], -1): expected an offset_dim from 0 to 1");
}

TEST(VerifyPlacements, RefusesOtherMixturesOfPartials) {
  EXPECT_EQ(verified("P(sum) S(0) P(max)", {2, 2, 2}, 1),
            "Mixed Partial reduce types are not supported in the same placement list. Found reduce "
            "ops: {'sum', 'max'}. Please ensure all Partial placements use the same reduce "
            "operation.");
  EXPECT_EQ(verified("P(avg) P(min) P(avg)", {2, 2, 2}, 1),
            "Mixed Partial reduce types are not supported in the same placement list. Found reduce "
            "ops: {'avg', 'min'}. Please ensure all Partial placements use the same reduce "
            "operation.");
  EXPECT_EQ(verified("NormP(2) P(sum)", {2, 2}, 1),
            "Mixed Partial reduce types are not supported in the same placement list. Found reduce "
            "ops: {'NormP(2)', 'sum'}. Please ensure all Partial placements use the same reduce "
            "operation.");
  EXPECT_EQ(verified("P(premul_sum,2) P(premul_sum,3)", {2, 2}, 1),
            "Mixed Partial reduce types are not supported in the same placement list. Found reduce "
            "ops: {'P(premul_sum, 2)', 'P(premul_sum, 3)'}. Please ensure all Partial placements "
            "use the same reduce operation.");
}

}  // namespace
}  // namespace shardlens
