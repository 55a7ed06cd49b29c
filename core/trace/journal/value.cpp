#include "core/trace/journal/value.h"

#include "core/model/hash.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace shardlens {

std::size_t SpecRecordHash::operator()(const SpecRecord& spec) const {
  Hasher hasher;
  hasher.mix(static_cast<int>(spec.dtype));
  hasher.add(spec.shape);
  hasher.add(spec.placements);
  if (spec.mesh) hasher.mix(spec.mesh->size());
  return hasher.value();
}

namespace {

template <class T>
T load(const std::byte* data, std::int64_t index) {
  T element;
  std::memcpy(&element, data + index * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return element;
}

double halfToDouble(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  double magnitude = 0;
  if (exponent == 31) {
    magnitude = fraction == 0 ? HUGE_VAL : std::nan("");
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, -24);
  } else {
    magnitude = std::ldexp(1024 + fraction, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

double bfloatToDouble(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

std::int64_t wholeAt(DType dtype, const std::byte* data, std::int64_t index) {
  switch (dtype) {
    case DType::UInt8:
      return load<std::uint8_t>(data, index);
    case DType::Int8:
      return load<std::int8_t>(data, index);
    case DType::Int16:
      return load<std::int16_t>(data, index);
    case DType::Int32:
      return load<std::int32_t>(data, index);
    case DType::Int64:
      return load<std::int64_t>(data, index);
    default:
      return load<std::uint8_t>(data, index) != 0 ? 1 : 0;
  }
}

template <class T>
std::string digits(T number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), number).ptr};
}

}  // namespace

double elementAt(DType dtype, const std::byte* data, std::int64_t index) {
  switch (dtype) {
    case DType::Float16:
      return halfToDouble(load<std::uint16_t>(data, index));
    case DType::BFloat16:
      return bfloatToDouble(load<std::uint16_t>(data, index));
    case DType::Float32:
      return static_cast<double>(load<float>(data, index));
    case DType::Float64:
      return load<double>(data, index);
    default:
      return static_cast<double>(wholeAt(dtype, data, index));
  }
}

std::string elementText(DType dtype, const std::byte* data, std::int64_t index) {
  if (dtype == DType::Bool) return wholeAt(dtype, data, index) != 0 ? "true" : "false";
  if (!isFloating(dtype)) return digits(wholeAt(dtype, data, index));
  const double number = elementAt(dtype, data, index);
  if (std::isnan(number)) return "nan";
  return dtype == DType::Float64 ? digits(number) : digits(static_cast<float>(number));
}

Statistics statisticsOf(DType dtype, std::span<const std::byte> data) {
  const auto count = static_cast<std::int64_t>(data.size()) / dtypeSize(dtype);
  Statistics statistics;
  double sum = 0;
  std::int64_t numbers = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double element = elementAt(dtype, data.data(), i);
    if (std::isnan(element)) {
      ++statistics.nans;
      continue;
    }
    if (element == 0) ++statistics.zeros;
    statistics.min = numbers == 0 ? element : std::min(statistics.min, element);
    statistics.max = numbers == 0 ? element : std::max(statistics.max, element);
    sum += element;
    ++numbers;
  }
  if (numbers != 0) statistics.mean = sum / static_cast<double>(numbers);
  return statistics;
}

}  // namespace shardlens
