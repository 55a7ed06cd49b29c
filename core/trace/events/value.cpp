#include "core/trace/events/value.h"

#include "core/base/text.h"

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

constexpr std::size_t kLanes = 16;
constexpr std::size_t kChunk = 2048;

// Compiles the function once per instruction set; the loader selects a clone at run time. All
// clones add in the same order, so they return the same sum.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SHARDLENS_VECTORIZED __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SHARDLENS_VECTORIZED
#endif

constexpr std::size_t kVector = 64;  // bytes
constexpr std::size_t kDoubles = kVector / sizeof(double);
typedef double Doubles __attribute__((vector_size(kVector)));
typedef float Floats __attribute__((vector_size(kVector)));
typedef std::int64_t Longs __attribute__((vector_size(kVector)));
typedef std::int32_t Ints __attribute__((vector_size(kVector)));

// Running statistics, one set per vector lane, so that the loop vectorizes.
template <class Element, class Elements, class Counts>
struct Lanes {
  Elements min = Elements{} + static_cast<Element>(HUGE_VAL);
  Elements max = Elements{} - static_cast<Element>(HUGE_VAL);
  Counts numbers = {};
  Counts zeros = {};
  std::array<Doubles, kLanes * sizeof(double) / kVector> sum = {};

  // Adds one vector to all but the numbers and the sum. Comparisons with NaN are false, so min, max
  // and zeros ignore it.
  [[gnu::always_inline]] void look(const Elements& elements) {
    min = elements < min ? elements : min;
    max = elements > max ? elements : max;
    zeros -= elements == 0;  // a comparison is -1 per lane if true
  }
};
using FloatLanes = Lanes<float, Floats, Ints>;
using DoubleLanes = Lanes<double, Doubles, Longs>;

// Adds the floats at `from` to the lanes of the sum. Compilers make one instruction of the inner
// loop, but several of __builtin_convertvector().
[[gnu::always_inline]] inline void add(const void* from, FloatLanes& into) {
  std::array<float, kLanes> elements;
  std::memcpy(&elements, from, sizeof(elements));
  for (std::size_t part = 0; part < into.sum.size(); ++part) {
    Doubles widened;
    for (std::size_t i = 0; i < kDoubles; ++i) widened[i] = elements[part * kDoubles + i];
    into.sum[part] += widened;
  }
}

SHARDLENS_VECTORIZED void take(const std::byte* chunk, std::size_t vectors, FloatLanes& into) {
  FloatLanes lanes = into;  // a local copy cannot alias `chunk` and stays in registers
  for (std::size_t i = 0; i < vectors; ++i) {
    Floats elements;
    std::memcpy(&elements, chunk + i * sizeof(elements), sizeof(elements));
    const Ints isNumber = elements == elements;
    lanes.look(elements);
    lanes.numbers -= isNumber;
    const Floats added = isNumber ? elements : Floats{};
    add(&added, lanes);
  }
  into = lanes;
}

// Does the same with fewer instructions if no element is NaN. Otherwise, and if infinities of both
// signs make the sum NaN, returns false and leaves `into` as it is.
SHARDLENS_VECTORIZED bool takeNumbers(const std::byte* chunk, std::size_t vectors,
                                      FloatLanes& into) {
  FloatLanes lanes = into;
  for (std::size_t i = 0; i < vectors; ++i) {
    const std::byte* const from = chunk + i * kVector;
    Floats elements;
    std::memcpy(&elements, from, sizeof(elements));
    lanes.look(elements);
    add(from, lanes);
  }
  const Doubles both = lanes.sum[0] + lanes.sum[1];
  double sum = 0;
  for (std::size_t i = 0; i < kDoubles; ++i) sum += both[i];
  if (std::isnan(sum)) return false;
  lanes.numbers += static_cast<std::int32_t>(vectors);
  into = lanes;
  return true;
}

SHARDLENS_VECTORIZED void take(const std::byte* chunk, std::size_t vectors, DoubleLanes& into) {
  DoubleLanes lanes = into;
  for (std::size_t i = 0; i < vectors; ++i) {
    for (std::size_t half = 0; half < lanes.sum.size(); ++half) {
      Doubles elements;
      std::memcpy(&elements, chunk + i * kLanes * sizeof(double) + half * kVector,
                  sizeof(elements));
      const Longs isNumber = elements == elements;
      lanes.look(elements);
      lanes.numbers -= isNumber;
      lanes.sum[half] += isNumber ? elements : Doubles{};
    }
  }
  into = lanes;
}
bool takeNumbers(const std::byte*, std::size_t, DoubleLanes&) { return false; }

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
template <class Element, class Lanes>
Statistics statisticsIn(DType dtype, std::span<const std::byte> data) {
  const auto size = static_cast<std::size_t>(dtypeSize(dtype));
  const std::size_t count = data.size() / size;
  Statistics statistics;
  Lanes lanes;
  constexpr std::size_t kSide = kVector / sizeof(Element);
  std::int64_t numbers = 0;
  alignas(64) std::array<Element, kChunk> chunk;
  for (std::size_t first = 0; first < count; first += kChunk) {
    const std::size_t some = std::min(kChunk, count - first);
    const std::size_t vectors = (some + kLanes - 1) / kLanes;
    const std::byte* from = data.data() + first * size;
    if (some < kChunk || dtype != (sizeof(Element) == 4 ? DType::Float32 : DType::Float64)) {
      read(dtype, from, std::span(chunk).first(some));
      std::fill(chunk.begin() + some, chunk.begin() + vectors * kLanes,
                std::numeric_limits<Element>::quiet_NaN());
      from = std::as_bytes(std::span(chunk)).data();
    }
    if (!takeNumbers(from, vectors, lanes)) take(from, vectors, lanes);
    for (std::size_t lane = 0; lane < kSide; ++lane) {
      numbers += lanes.numbers[lane];
      statistics.zeros += lanes.zeros[lane];
    }
    lanes.numbers ^= lanes.numbers;
    lanes.zeros ^= lanes.zeros;
  }
  statistics.nans = static_cast<std::int64_t>(count) - numbers;
  if (numbers == 0) return statistics;
  double sum = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    sum += lanes.sum[lane / kDoubles][lane % kDoubles];
  }
  Element min = lanes.min[0], max = lanes.max[0];
  for (std::size_t lane = 1; lane < kSide; ++lane) {
    min = std::min<Element>(min, lanes.min[lane]);
    max = std::max<Element>(max, lanes.max[lane]);
  }
  statistics.min = static_cast<double>(min);
  statistics.max = static_cast<double>(max);
  statistics.mean = sum / static_cast<double>(numbers);
  return statistics;
}

}  // namespace

Statistics statisticsOf(DType dtype, std::span<const std::byte> data) {
  return dtype == DType::Float32 ? statisticsIn<float, FloatLanes>(dtype, data)
                                 : statisticsIn<double, DoubleLanes>(dtype, data);
}

}  // namespace shardlens
