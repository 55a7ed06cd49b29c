#include "core/trace/events/value.h"

#include "core/base/text.h"
#include "core/trace/events/lanes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace shardlens {

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

template <class T>
std::string fractionText(T number) {
  return std::isnan(number) ? "nan" : digits(number);
}

template <class T>
std::string partsText(std::complex<T> number) {
  return complexText(fractionText(number.real()), fractionText(number.imag()));
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
    case DType::Complex64:
    case DType::Complex128:
      return std::abs(complexAt(dtype, data, index));
    default:
      return static_cast<double>(wholeAt(dtype, data, index));
  }
}

std::complex<double> complexAt(DType dtype, const std::byte* data, std::int64_t index) {
  if (dtype == DType::Complex64) return load<std::complex<float>>(data, index);
  if (dtype == DType::Complex128) return load<std::complex<double>>(data, index);
  return elementAt(dtype, data, index);
}

std::string elementText(DType dtype, const std::byte* data, std::int64_t index) {
  if (dtype == DType::Bool) return wholeAt(dtype, data, index) != 0 ? "true" : "false";
  if (isWhole(dtype)) return digits(wholeAt(dtype, data, index));
  if (dtype == DType::Complex64) return partsText(load<std::complex<float>>(data, index));
  if (dtype == DType::Complex128) return partsText(load<std::complex<double>>(data, index));
  const double number = elementAt(dtype, data, index);
  return dtype == DType::Float64 ? fractionText(number) : fractionText(static_cast<float>(number));
}

namespace {

constexpr std::size_t kChunk = 2048;

#if defined(__x86_64__)
template <class Element>
[[gnu::target("avx512f")]] void takeByAvx512(const std::byte* chunk, std::size_t groups,
                                             Lanes<Element>& lanes) {
  takeBy<64>(chunk, groups, lanes);
}
template <class Element>
[[gnu::target("avx2")]] void takeByAvx2(const std::byte* chunk, std::size_t groups,
                                        Lanes<Element>& lanes) {
  takeBy<32>(chunk, groups, lanes);
}
#endif

// Selects the width of this processor's vectors. Wider ones would be split into single elements.
template <class Element>
void take(const std::byte* chunk, std::size_t groups, Lanes<Element>& lanes) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return takeByAvx512(chunk, groups, lanes);
  if (__builtin_cpu_supports("avx2")) return takeByAvx2(chunk, groups, lanes);
#endif
  takeBy<16>(chunk, groups, lanes);
}

template <class T>
void widen(const std::byte* from, std::span<double> into) {
  for (std::size_t i = 0; i < into.size(); ++i) {
    into[i] = static_cast<double>(load<T>(from, static_cast<std::int64_t>(i)));
  }
}

void read(DType dtype, const std::byte* from, std::span<double> into) {
  switch (dtype) {
    case DType::Float64:
      std::memcpy(into.data(), from, into.size_bytes());
      return;
    case DType::Int32:
      return widen<std::int32_t>(from, into);
    case DType::Int64:
      return widen<std::int64_t>(from, into);
    default:
      for (std::size_t i = 0; i < into.size(); ++i) {
        into[i] = elementAt(dtype, from, static_cast<std::int64_t>(i));
      }
  }
}
void read(DType, const std::byte* from, std::span<float> into) {
  std::memcpy(into.data(), from, into.size_bytes());
}

// Takes the data in chunks of kChunk elements. Copies a chunk that has other elements than the
// lanes, and the last one, which is padded with NaN: no statistic counts them.
template <class Element>
Statistics statisticsIn(DType dtype, std::span<const std::byte> data) {
  const auto size = static_cast<std::size_t>(dtypeSize(dtype));
  const std::size_t count = data.size() / size;
  Statistics statistics;
  Lanes<Element> lanes;
  std::int64_t numbers = 0;
  alignas(64) std::array<Element, kChunk> chunk;
  for (std::size_t first = 0; first < count; first += kChunk) {
    const std::size_t some = std::min(kChunk, count - first);
    const std::size_t groups = (some + kLanes - 1) / kLanes;
    const std::byte* from = data.data() + first * size;
    if (some < kChunk || dtype != (sizeof(Element) == 4 ? DType::Float32 : DType::Float64)) {
      read(dtype, from, std::span(chunk).first(some));
      std::fill(chunk.begin() + some, chunk.begin() + groups * kLanes,
                std::numeric_limits<Element>::quiet_NaN());
      from = std::as_bytes(std::span(chunk)).data();
    }
    take(from, groups, lanes);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      numbers += lanes.numbers[lane];
      statistics.zeros += lanes.zeros[lane];
    }
    lanes.numbers = {};
    lanes.zeros = {};
  }
  statistics.nans = static_cast<std::int64_t>(count) - numbers;
  if (numbers == 0) return statistics;
  double sum = 0;
  for (const double each : lanes.sum) sum += each;
  const Element min = *std::min_element(lanes.min.begin(), lanes.min.end());
  const Element max = *std::max_element(lanes.max.begin(), lanes.max.end());
  statistics.min = static_cast<double>(min);
  statistics.max = static_cast<double>(max);
  statistics.mean = sum / static_cast<double>(numbers);
  return statistics;
}

}  // namespace

Statistics statisticsOf(DType dtype, std::span<const std::byte> data) {
  return dtype == DType::Float32 ? statisticsIn<float>(dtype, data)
                                 : statisticsIn<double>(dtype, data);
}

}  // namespace shardlens
