#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace shardlens {

// Element types, with libtorch's names. Values are written to recordings: append only.
enum class DType : std::uint8_t {
  Float16,
  BFloat16,
  Float32,
  Float64,
  UInt8,
  Int8,
  Int16,
  Int32,
  Int64,
  Bool,
  Complex64,
  Complex128,
};
inline constexpr int kDTypes = 12;

std::string_view dtypeName(DType dtype);       // "float32"
std::string_view dtypeShortName(DType dtype);  // "f32"
std::optional<DType> parseDType(std::string_view name);
int dtypeSize(DType dtype);  // bytes an element
bool isFloating(DType dtype);
bool isComplex(DType dtype);
DType realDType(DType dtype);     // that of the parts of complex numbers; others' own
DType complexDType(DType dtype);  // whose parts are of this dtype; of a small one complex64
// Whole numbers and truth values.
bool isWhole(DType dtype);

}  // namespace shardlens
