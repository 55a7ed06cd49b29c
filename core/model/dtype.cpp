#include "core/model/dtype.h"

#include <array>

namespace shardlens {
namespace {

struct Facts {
  std::string_view name;
  std::string_view shortName;
  int size;
};

constexpr std::array<Facts, kDTypes> kFacts = {{{"float16", "f16", 2},
                                                {"bfloat16", "bf16", 2},
                                                {"float32", "f32", 4},
                                                {"float64", "f64", 8},
                                                {"uint8", "u8", 1},
                                                {"int8", "i8", 1},
                                                {"int16", "i16", 2},
                                                {"int32", "i32", 4},
                                                {"int64", "i64", 8},
                                                {"bool", "b8", 1},
                                                {"complex64", "c64", 8},
                                                {"complex128", "c128", 16}}};

const Facts& factsOf(DType dtype) { return kFacts[static_cast<std::size_t>(dtype)]; }

}  // namespace

std::string_view dtypeName(DType dtype) { return factsOf(dtype).name; }
std::string_view dtypeShortName(DType dtype) { return factsOf(dtype).shortName; }
int dtypeSize(DType dtype) { return factsOf(dtype).size; }
bool isFloating(DType dtype) { return dtype <= DType::Float64; }
bool isComplex(DType dtype) { return dtype >= DType::Complex64; }
DType realDType(DType dtype) {
  if (!isComplex(dtype)) return dtype;
  return dtype == DType::Complex64 ? DType::Float32 : DType::Float64;
}
DType complexDType(DType dtype) {
  return realDType(dtype) == DType::Float64 ? DType::Complex128 : DType::Complex64;
}
bool isWhole(DType dtype) { return !isFloating(dtype) && !isComplex(dtype); }

std::optional<DType> parseDType(std::string_view name) {
  for (int i = 0; i < kDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (name == dtypeName(dtype) || name == dtypeShortName(dtype)) return dtype;
  }
  return std::nullopt;
}

}  // namespace shardlens
