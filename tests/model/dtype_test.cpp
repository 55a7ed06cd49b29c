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
    {DType::Float16, "float16", "f16", 2, true}, {DType::BFloat16, "bfloat16", "bf16", 2, true},
    {DType::Float32, "float32", "f32", 4, true}, {DType::Float64, "float64", "f64", 8, true},
    {DType::UInt8, "uint8", "u8", 1, false},     {DType::Int8, "int8", "i8", 1, false},
    {DType::Int16, "int16", "i16", 2, false},    {DType::Int32, "int32", "i32", 4, false},
    {DType::Int64, "int64", "i64", 8, false},    {DType::Bool, "bool", "b8", 1, false},
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

// Recordings hold the number.
TEST(DType, KeepsItsNumber) {
  for (int i = 0; i < kDTypes; ++i) EXPECT_EQ(static_cast<int>(kKnown[i].dtype), i);
}

TEST(DType, OtherNamesAreNone) {
  for (const auto name : {"", "float", "Float32", "float32 ", "complex64", "f128"}) {
    EXPECT_EQ(parseDType(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace shardlens
