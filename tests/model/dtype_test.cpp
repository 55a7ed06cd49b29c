#include "core/model/dtype.h"

#include <gtest/gtest.h>

namespace shardlens {
namespace {

struct Known {
  DType dtype;
  std::string_view name;
  std::string_view shortName;
  int size;
  bool floating;
};

constexpr Known kKnown[] = {
    {DType::Float16, "float16", "f16", 2, true},
    {DType::BFloat16, "bfloat16", "bf16", 2, true},
    {DType::Float32, "float32", "f32", 4, true},
    {DType::Float64, "float64", "f64", 8, true},
    {DType::UInt8, "uint8", "u8", 1, false},
    {DType::Int8, "int8", "i8", 1, false},
    {DType::Int16, "int16", "i16", 2, false},
    {DType::Int32, "int32", "i32", 4, false},
    {DType::Int64, "int64", "i64", 8, false},
    {DType::Bool, "bool", "b8", 1, false},
    {DType::Complex64, "complex64", "c64", 8, false},
    {DType::Complex128, "complex128", "c128", 16, false},
};

TEST(DType, IsKnownByItsNamesAndSize) {
  static_assert(std::size(kKnown) == kDTypes);
  for (const auto& known : kKnown) {
    EXPECT_EQ(dtypeName(known.dtype), known.name);
    EXPECT_EQ(dtypeShortName(known.dtype), known.shortName);
    EXPECT_EQ(dtypeSize(known.dtype), known.size) << known.name;
    EXPECT_EQ(isFloating(known.dtype), known.floating) << known.name;
    EXPECT_EQ(parseDType(known.name), known.dtype);
    EXPECT_EQ(parseDType(known.shortName), known.dtype);
  }
}

TEST(DType, OfWholeNumbersOrFractionsOrComplex) {
  for (const auto& known : kKnown) {
    const bool complex = known.name.starts_with("complex");
    EXPECT_EQ(isComplex(known.dtype), complex) << known.name;
    EXPECT_EQ(isWhole(known.dtype), !complex && !known.floating) << known.name;
  }
  EXPECT_EQ(realDType(DType::Complex64), DType::Float32);
  EXPECT_EQ(realDType(DType::Complex128), DType::Float64);
  EXPECT_EQ(realDType(DType::Int8), DType::Int8);
  EXPECT_EQ(complexDType(DType::Float32), DType::Complex64);
  EXPECT_EQ(complexDType(DType::Float64), DType::Complex128);
  EXPECT_EQ(complexDType(DType::Complex128), DType::Complex128);
}

// Recordings store the number of a dtype, so it must never change.
TEST(DType, KeepsItsNumber) {
  for (int i = 0; i < kDTypes; ++i) EXPECT_EQ(static_cast<int>(kKnown[i].dtype), i);
}

TEST(DType, OtherNamesAreNone) {
  for (const auto name : {"", "float", "Float32", "float32 ", "complex", "f128"}) {
    EXPECT_EQ(parseDType(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace shardlens
