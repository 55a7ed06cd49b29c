#include "core/checkpoints/input/element_type.h"

#include "core/base/little_endian.h"
#include "core/base/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace shardlens {
namespace {

using TypeKind = ElementType::Kind;

constexpr std::array<ElementType, 21> kElementTypes = {{
    {.name = "float32", .safetensors = "F32", .size = 4, .kind = TypeKind::Float},
    {.name = "bfloat16", .safetensors = "BF16", .size = 2, .kind = TypeKind::BFloat},
    {.name = "float16", .safetensors = "F16", .size = 2, .kind = TypeKind::Float},
    {.name = "float64", .safetensors = "F64", .size = 8, .kind = TypeKind::Float},
    {.name = "float8_e4m3fn",
     .safetensors = "F8_E4M3",
     .size = 1,
     .kind = TypeKind::Float8,
     .mantissa = 3,
     .bias = 7},
    {.name = "float8_e5m2",
     .safetensors = "F8_E5M2",
     .size = 1,
     .kind = TypeKind::Float8,
     .mantissa = 2,
     .bias = 15,
     .hasInfinity = true},
    {.name = "float8_e4m3fnuz",
     .safetensors = "F8_E4M3FNUZ",
     .size = 1,
     .kind = TypeKind::Float8,
     .mantissa = 3,
     .bias = 8,
     .hasOneNan = true},
    {.name = "float8_e5m2fnuz",
     .safetensors = "F8_E5M2FNUZ",
     .size = 1,
     .kind = TypeKind::Float8,
     .mantissa = 2,
     .bias = 16,
     .hasOneNan = true},
    {.name = "float8_e8m0fnu", .safetensors = "F8_E8M0", .size = 1, .kind = TypeKind::Exponent},
    {.name = "int64", .safetensors = "I64", .size = 8, .kind = TypeKind::Signed},
    {.name = "int32", .safetensors = "I32", .size = 4, .kind = TypeKind::Signed},
    {.name = "int16", .safetensors = "I16", .size = 2, .kind = TypeKind::Signed},
    {.name = "int8", .safetensors = "I8", .size = 1, .kind = TypeKind::Signed},
    {.name = "uint64", .safetensors = "U64", .size = 8, .kind = TypeKind::Unsigned},
    {.name = "uint32", .safetensors = "U32", .size = 4, .kind = TypeKind::Unsigned},
    {.name = "uint16", .safetensors = "U16", .size = 2, .kind = TypeKind::Unsigned},
    {.name = "uint8", .safetensors = "U8", .size = 1, .kind = TypeKind::Unsigned},
    {.name = "bool", .safetensors = "BOOL", .size = 1, .kind = TypeKind::Bool},
    {.name = "complex64", .safetensors = "C64", .size = 8, .kind = TypeKind::Complex},
    {.name = "complex128", .safetensors = "", .size = 16, .kind = TypeKind::Complex},
    {.name = "complex32", .safetensors = "", .size = 4, .kind = TypeKind::Complex},
}};

// torch's typed storages, as pickles name them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kStorages = {{
    {"FloatStorage", "float32"},
    {"BFloat16Storage", "bfloat16"},
    {"HalfStorage", "float16"},
    {"DoubleStorage", "float64"},
    {"LongStorage", "int64"},
    {"IntStorage", "int32"},
    {"ShortStorage", "int16"},
    {"CharStorage", "int8"},
    {"ByteStorage", "uint8"},
    {"BoolStorage", "bool"},
    {"ComplexFloatStorage", "complex64"},
    {"ComplexDoubleStorage", "complex128"},
}};

template <class Matches>
const ElementType* findType(Matches matches) {
  const auto* const found = std::find_if(kElementTypes.begin(), kElementTypes.end(), matches);
  return found == kElementTypes.end() ? nullptr : found;
}

std::uint64_t bitsAt(const std::byte* at, int size) {
  return littleEndian(std::span(at, static_cast<std::size_t>(size)));
}

constexpr long double kNotANumber = std::numeric_limits<long double>::quiet_NaN();

// Decodes a small float of `width` bits without its special values.
long double smallFloat(std::uint64_t bits, int width, int mantissa, int bias) {
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << mantissa) - 1);
  const auto exponent =
      static_cast<int>(bits >> mantissa & ((std::uint64_t{1} << (width - 1 - mantissa)) - 1));
  const long double whole = exponent == 0 ? 0 : std::uint64_t{1} << mantissa;
  const long double value = std::ldexp(whole + static_cast<long double>(fraction),
                                       std::max(exponent, 1) - bias - mantissa);
  return (bits >> (width - 1) & 1) != 0 ? -value : value;
}

long double float8(const ElementType& type, std::uint64_t bits) {
  if (type.hasOneNan && bits == 0x80) return kNotANumber;
  if (!type.hasOneNan && type.hasInfinity && (bits & 0x7C) == 0x7C) {
    const long double infinity = std::numeric_limits<long double>::infinity();
    return (bits & 3) != 0 ? kNotANumber : (bits & 0x80) != 0 ? -infinity : infinity;
  }
  if (!type.hasOneNan && !type.hasInfinity && (bits & 0x7F) == 0x7F) return kNotANumber;
  return smallFloat(bits, 8, type.mantissa, type.bias);
}

// Decodes an IEEE float of 2, 4 or 8 bytes.
long double ieeeFloat(const std::byte* at, int size) {
  const std::uint64_t bits = bitsAt(at, size);
  if (size == 8) return std::bit_cast<double>(bits);
  if (size == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if ((bits & 0x7C00) != 0x7C00) return smallFloat(bits, 16, 10, 15);
  const long double infinity = std::numeric_limits<long double>::infinity();
  return (bits & 0x3FF) != 0 ? kNotANumber : (bits & 0x8000) != 0 ? -infinity : infinity;
}

long double realValue(const ElementType& type, const std::byte* at) {
  const std::uint64_t bits = bitsAt(at, type.size);
  switch (type.kind) {
    case TypeKind::Float:
      return ieeeFloat(at, type.size);
    case TypeKind::BFloat:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
    case TypeKind::Float8:
      return float8(type, bits);
    case TypeKind::Exponent:
      return bits == 0xFF ? kNotANumber : std::ldexp(1.0L, static_cast<int>(bits) - 127);
    case TypeKind::Signed: {
      const int unused = 64 - 8 * type.size;
      return static_cast<long double>(static_cast<std::int64_t>(bits << unused) >> unused);
    }
    case TypeKind::Bool:
      return bits != 0 ? 1 : 0;
    default:
      return static_cast<long double>(bits);
  }
}

std::string realText(const ElementType& type, long double value) {
  if (type.kind == TypeKind::Bool) return value != 0 ? "true" : "false";
  if (type.kind == TypeKind::Signed || type.kind == TypeKind::Unsigned)
    return fmt::format("{:.0f}", value);
  // The shortest text that identifies the value in its own type; floats below 32 bits as float32.
  if (type.size == 8 && type.kind == TypeKind::Float)
    return fmt::format("{}", static_cast<double>(value));
  if (type.size == 16) return fmt::format("{}", static_cast<double>(value));
  return fmt::format("{}", static_cast<float>(value));
}

}  // namespace

const ElementType* elementTypeOfTorch(std::string_view name) {
  return findType([&](const ElementType& type) { return type.name == name; });
}

const ElementType* elementTypeOfSafetensors(std::string_view name) {
  return findType(
      [&](const ElementType& type) { return type.safetensors == name && !name.empty(); });
}

const ElementType* elementTypeOfStorage(std::string_view name) {
  for (const auto& [storage, torchName] : kStorages) {
    if (storage == name) return elementTypeOfTorch(torchName);
  }
  return nullptr;
}

std::string elementTypeNames() {
  std::vector<std::string> names;
  for (const auto& type : kElementTypes) names.emplace_back(type.name);
  return joined(names);
}

ElementValue elementValue(const ElementType& type, const std::byte* at) {
  if (type.kind != TypeKind::Complex) return {realValue(type, at), 0};
  const int half = type.size / 2;
  return {ieeeFloat(at, half), ieeeFloat(at + half, half)};
}

std::string elementText(const ElementType& type, const std::byte* at) {
  const ElementValue value = elementValue(type, at);
  if (type.kind != TypeKind::Complex) return realText(type, value.real());
  return complexText(realText(type, value.real()), realText(type, value.imag()));
}

}  // namespace shardlens
