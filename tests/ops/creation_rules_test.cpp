#include "tests/ops/written_call.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

std::string creation(const std::string& name, const std::string& placements) {
  return chosen({name, {{{6, 4}, placements}}, {6, 4}});
}

TEST(LikeRule, KeepsShardsAndReplicatesPartials) {
  for (const std::string name : {"aten.empty_like", "aten.full_like", "aten.ones_like",
                                 "aten.rand_like", "aten.zeros_like"}) {
    EXPECT_EQ(creation(name, "S(1)"), "sharded: (S(1)) -> (S(1))") << name;
    EXPECT_EQ(creation(name, "P(sum)"), "whole: (P(sum)) -> (R)") << name;
    EXPECT_EQ(creation(name, "P(max)"), "whole: (P(max)) -> (R)") << name;
    EXPECT_EQ(creation(name, "SS(0,2) P(avg)"),
              "sharded x whole: (SS(0, 2), P(avg)) -> (SS(0, 2), R)")
        << name;
  }
}

TEST(LikeRule, ReducesNothing) {
  EXPECT_EQ(creation("aten.zeros_like", "MaskP(sum,[8,4],0)"),
            "whole: (MaskP(sum, [8, 4], 0)) -> (R)");
  EXPECT_EQ(creation("aten.empty_like", "NormP(2)"), "whole: (NormP(2)) -> (R)");
}

TEST(NewRule, AResultOfAnotherShapeIsReplicatedAndTheInputStays) {
  const auto resized = [](const std::string& name, const std::string& placements) {
    return chosen({name, {{{6, 4}, placements}}, {3, 2}});
  };
  for (const std::string name : {"aten.new_empty", "aten.new_full", "aten.new_ones"}) {
    EXPECT_EQ(resized(name, "S(1)"), "whole: (S(1)) -> (R)") << name;
    EXPECT_EQ(resized(name, "P(sum) S(0)"), "whole: (P(sum), S(0)) -> (R, R)") << name;
  }
}

// The program may later write partial values into a new, uninitialised tensor.
TEST(CopyRule, KeepsEveryPlacement) {
  for (const std::string name :
       {"aten.alias", "aten.clone", "aten.detach", "aten.new_empty", "aten.new_empty_strided"}) {
    EXPECT_EQ(creation(name, "R"), "replicate: (R) -> (R)") << name;
    EXPECT_EQ(creation(name, "S(0)"), "sharded: (S(0)) -> (S(0))") << name;
    for (const std::string partial : {"P(sum)", "P(avg)", "P(min)", "P(max)", "P(product)"}) {
      EXPECT_EQ(creation(name, partial), "partial: (" + partial + ") -> (" + partial + ")") << name;
    }
  }
}

TEST(CopyRule, WrittenValuesAreShardedAsTheResult) {
  const auto copied = [](const std::string& into, const std::string& from,
                         DType dtype = DType::Float32) {
    return chosen({"aten.copy_", {{{6, 4}, into}, {{6, 4}, from, dtype}}, {6, 4}});
  };
  EXPECT_EQ(copied("S(0)", "R"), "sharded: (S(0)) (S(0)) -> (S(0))");
  EXPECT_EQ(copied("S(0)", "P(sum)"), "sharded: (S(0)) (S(0)) -> (S(0))");
  EXPECT_EQ(copied("P(sum)", "P(sum)"), "partial: (P(sum)) (P(sum)) -> (P(sum))");
  EXPECT_EQ(copied("P(max)", "R"), "partial: (P(max)) (P(max)) -> (P(max))");
  EXPECT_EQ(copied("R", "P(sum)"), "replicate: (R) (R) -> (R)");
}

TEST(CastRule, PartialsAreConvertedIfThatIsExact) {
  const auto cast = [](const std::string& placements, DType from, DType to) {
    auto call = schemaOf({"aten._to_copy", {{{6, 4}, placements, from}}, {6, 4}});
    call.outputs.front().dtype = to;
    return toText(propagate(call, findRule("aten._to_copy"), {})->chosen.outputs.front());
  };
  const auto f16 = DType::Float16, f32 = DType::Float32, f64 = DType::Float64;
  const auto u8 = DType::UInt8, i32 = DType::Int32, i64 = DType::Int64;
  EXPECT_EQ(cast("S(0)", f32, i64), "(S(0))");
  EXPECT_EQ(cast("P(sum)", f32, f64), "(P(sum))");
  EXPECT_EQ(cast("P(avg)", f32, f64), "(P(avg))");
  EXPECT_EQ(cast("P(sum)", i64, i32), "(P(sum))");
  EXPECT_EQ(cast("P(max)", f32, f16), "(P(max))");
  EXPECT_EQ(cast("P(max)", f64, i64), "(P(max))");
  EXPECT_EQ(cast("P(max)", i32, f64), "(P(max))");
  EXPECT_EQ(cast("P(sum)", DType::Int8, u8), "(P(sum))");
  EXPECT_EQ(cast("P(sum)", f32, f16), "(R)");
  EXPECT_EQ(cast("P(sum)", i64, f64), "(R)");
  EXPECT_EQ(cast("P(sum)", f32, i64), "(R)");
  EXPECT_EQ(cast("P(sum)", i32, f64), "(R)");
  EXPECT_EQ(cast("P(sum)", i32, i64), "(R)");
  EXPECT_EQ(cast("P(sum)", u8, i32), "(R)");
  EXPECT_EQ(cast("P(avg)", i32, f64), "(R)");
  EXPECT_EQ(cast("P(max)", f64, i32), "(R)");
  EXPECT_EQ(cast("P(min)", f32, u8), "(R)");
  EXPECT_EQ(cast("P(max)", i64, i32), "(R)");
  EXPECT_EQ(cast("P(max)", f32, DType::Bool), "(R)");
}

TEST(OverwriteRule, PartialsBecomePartialsOfTheNewContents) {
  for (const std::string name : {"aten.fill_.Scalar", "aten.zero_", "aten.normal_"}) {
    EXPECT_EQ(creation(name, "S(1)"), "sharded: (S(1)) -> (S(1))") << name;
    EXPECT_EQ(creation(name, "P(sum)"), "partial result: (P(sum)) -> (P(sum))") << name;
    EXPECT_EQ(creation(name, "NormP(2) S(0)"),
              "partial result x sharded: (NormP(2), S(0)) -> (NormP(2), S(0))")
        << name;
  }
}

}  // namespace
}  // namespace shardlens
