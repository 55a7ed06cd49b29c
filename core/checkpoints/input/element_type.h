#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace shardlens {

// An element type of a checkpoint. There are more of these than in model/dtype.h, because
// checkpoints also contain types that the engine does not compute with.
struct ElementType {
  enum class Kind : std::uint8_t {
    Float,
    BFloat,
    Float8,
    Exponent,
    Signed,
    Unsigned,
    Bool,
    Complex
  };

  std::string_view name;         // torch's name: "bfloat16"
  std::string_view safetensors;  // name in safetensors files: "BF16"; "" if the format has none
  int size = 0;                  // bytes per element
  Kind kind = Kind::Float;
  // Float8 only: number of mantissa bits, exponent bias, and whether the type has infinities, or
  // one NaN (0x80) and no negative zero ("fnuz").
  int mantissa = 0, bias = 0;
  bool hasInfinity = false, hasOneNan = false;
};

// Return null for unknown names.
const ElementType* elementTypeOfTorch(std::string_view name);        // "bfloat16"
const ElementType* elementTypeOfSafetensors(std::string_view name);  // "BF16"
const ElementType* elementTypeOfStorage(std::string_view name);      // "BFloat16Storage"
std::string elementTypeNames();                                      // all of torch's, for messages

// The value of an element. Exact for all types: long double has at least 64 bits of mantissa on the
// supported platforms. Real types have no imaginary part.
using ElementValue = std::complex<long double>;
// Decodes the element at `at`, little-endian, of any alignment.
ElementValue elementValue(const ElementType& type, const std::byte* at);
// Returns the value as text: "-1.5", "7", "true", "1+2j", "nan".
std::string elementText(const ElementType& type, const std::byte* at);

}  // namespace shardlens
