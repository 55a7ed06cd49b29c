#include "core/trace/journal/value.h"

#include "core/model/hash.h"

#include <algorithm>
#include <array>
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

namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kChunk = 512;

// Each lane has its own, so that a processor takes several elements at once; their order is part of
// what a sum comes to, and is the same on all machines.
struct Lanes {
  std::array<double, kLanes> min, max, sum{};
  std::array<std::int64_t, kLanes> nans{}, zeros{};

  Lanes() {
    min.fill(HUGE_VAL);
    max.fill(-HUGE_VAL);
  }
  void add(std::size_t lane, double element) {
    const bool isNumber = element == element;
    min[lane] = element < min[lane] ? element : min[lane];
    max[lane] = element > max[lane] ? element : max[lane];
    sum[lane] += isNumber ? element : 0;
    nans[lane] += isNumber ? 0 : 1;
    zeros[lane] += element == 0 ? 1 : 0;
  }
};

template <class T>
void widen(const std::byte* from, std::span<double> into) {
  for (std::size_t i = 0; i < into.size(); ++i) {
    into[i] = static_cast<double>(load<T>(from, static_cast<std::int64_t>(i)));
  }
}

void widen(DType dtype, const std::byte* from, std::span<double> into) {
  switch (dtype) {
    case DType::Float32:
      return widen<float>(from, into);
    case DType::Float64:
      return widen<double>(from, into);
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

}  // namespace

Statistics statisticsOf(DType dtype, std::span<const std::byte> data) {
  const auto size = static_cast<std::size_t>(dtypeSize(dtype));
  const std::size_t count = data.size() / size;
  Lanes lanes;
  std::array<double, kChunk> chunk;
  for (std::size_t first = 0; first < count; first += kChunk) {
    const auto some = std::span(chunk).first(std::min(kChunk, count - first));
    widen(dtype, data.data() + first * size, some);
    const std::size_t whole = some.size() - some.size() % kLanes;
    for (std::size_t i = 0; i < whole; i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) lanes.add(lane, some[i + lane]);
    }
    for (std::size_t i = whole; i < some.size(); ++i) lanes.add(i - whole, some[i]);
  }
  Statistics statistics;
  double sum = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    sum += lanes.sum[lane];
    statistics.nans += lanes.nans[lane];
    statistics.zeros += lanes.zeros[lane];
  }
  const auto numbers = static_cast<std::int64_t>(count) - statistics.nans;
  if (numbers == 0) return statistics;
  statistics.min = *std::min_element(lanes.min.begin(), lanes.min.end());
  statistics.max = *std::max_element(lanes.max.begin(), lanes.max.end());
  statistics.mean = sum / static_cast<double>(numbers);
  return statistics;
}

}  // namespace shardlens
