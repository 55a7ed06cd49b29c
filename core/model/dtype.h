#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace shardlens {

// Element types, with libtorch's names. Values are stored in recordings: append only.
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
std::optional<DType> parseDType(std::string_view name);  // full or short name; nullopt if unknown
int dtypeSize(DType dtype);                              // bytes per element
bool isFloating(DType dtype);                            // real floating-point types only
bool isComplex(DType dtype);
DType realDType(DType dtype);     // float32 for complex64, float64 for complex128, else itself
DType complexDType(DType dtype);  // complex128 for float64 and complex128, else complex64
// Returns true for integers and bool.
bool isWhole(DType dtype);

}  // namespace shardlens
