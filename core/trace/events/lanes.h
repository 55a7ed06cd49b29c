#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace shardlens {

inline constexpr std::size_t kLanes = 16;

// Running statistics, one set per lane: lane i takes the elements i, i + 16, ... Vectors of any
// width thus add in the same order, and return the same sum.
template <class Element>
struct Lanes {
  using Count = std::conditional_t<sizeof(Element) == 4, std::int32_t, std::int64_t>;
  using Sum = double;

  Lanes() {
    min.fill(static_cast<Element>(HUGE_VAL));
    max.fill(static_cast<Element>(-HUGE_VAL));
  }
  std::array<Element, kLanes> min, max;
  std::array<Count, kLanes> numbers = {}, zeros = {};
  std::array<Sum, kLanes> sum = {};
};

// A copy of Lanes in vectors of `Width` bytes, which the compiler keeps in registers.
template <class Element, std::size_t Width>
class Vectors {
 public:
  [[gnu::always_inline]] explicit Vectors(const Lanes<Element>& lanes) {
    std::memcpy(min_, lanes.min.data(), sizeof(min_));
    std::memcpy(max_, lanes.max.data(), sizeof(max_));
    std::memcpy(numbers_, lanes.numbers.data(), sizeof(numbers_));
    std::memcpy(zeros_, lanes.zeros.data(), sizeof(zeros_));
    std::memcpy(sum_, lanes.sum.data(), sizeof(sum_));
  }
  [[gnu::always_inline]] void store(Lanes<Element>& lanes) const {
    std::memcpy(lanes.min.data(), min_, sizeof(min_));
    std::memcpy(lanes.max.data(), max_, sizeof(max_));
    std::memcpy(lanes.numbers.data(), numbers_, sizeof(numbers_));
    std::memcpy(lanes.zeros.data(), zeros_, sizeof(zeros_));
    std::memcpy(lanes.sum.data(), sum_, sizeof(sum_));
  }

  // Adds 16 elements. Comparisons with NaN are false, so min, max and zeros ignore it. Without
  // `HasNans` the elements are not counted as numbers, and a NaN makes the sum NaN.
  template <bool HasNans>
  [[gnu::always_inline]] void add(const std::byte* from) {
    for (std::size_t part = 0; part < kParts; ++part) {
      Elements elements;
      std::memcpy(&elements, from + part * Width, Width);
      min_[part] = elements < min_[part] ? elements : min_[part];
      max_[part] = elements > max_[part] ? elements : max_[part];
      zeros_[part] -= elements == 0;  // a comparison is -1 per element if true
      if constexpr (HasNans) {
        const Counts isNumber = elements == elements;
        numbers_[part] -= isNumber;
        elements = isNumber ? elements : Elements{};
      }
      // Compilers make one instruction of the inner loop, but several of __builtin_convertvector().
      std::array<Element, Width / sizeof(Element)> each;
      std::memcpy(&each, &elements, Width);
      for (std::size_t first = 0; first < each.size(); first += kDoubles) {
        Doubles widened;
        for (std::size_t i = 0; i < kDoubles; ++i) widened[i] = each[first + i];
        sum_[(part * each.size() + first) / kDoubles] += widened;
      }
    }
  }

  // Counts `count` numbers per lane.
  [[gnu::always_inline]] void countNumbers(std::size_t count) {
    for (Counts& numbers : numbers_) numbers += static_cast<typename Lanes<Element>::Count>(count);
  }

  [[gnu::always_inline]] bool isSumNan() const {
    double total = 0;
    for (const Doubles& sum : sum_) {
      for (std::size_t i = 0; i < kDoubles; ++i) total += sum[i];
    }
    return std::isnan(total);
  }

 private:
  typedef Element Elements __attribute__((vector_size(Width)));
  typedef typename Lanes<Element>::Count Counts __attribute__((vector_size(Width)));
  typedef typename Lanes<Element>::Sum Doubles __attribute__((vector_size(Width)));
  static constexpr std::size_t kParts = kLanes * sizeof(Element) / Width;
  static constexpr std::size_t kDoubles = Width / sizeof(double);

  Elements min_[kParts], max_[kParts];
  Counts numbers_[kParts], zeros_[kParts];
  Doubles sum_[kLanes / kDoubles];
};

// Adds `groups` times 16 elements. The loop without masks has fewer instructions. It is of no use
// if an element is NaN, and if infinities of both signs make the sum NaN.
template <std::size_t Width, class Element>
[[gnu::always_inline]] inline void takeBy(const std::byte* chunk, std::size_t groups,
                                          Lanes<Element>& lanes) {
  constexpr std::size_t kGroup = kLanes * sizeof(Element);
  Vectors<Element, Width> numbers(lanes);
  for (std::size_t i = 0; i < groups; ++i) numbers.template add<false>(chunk + i * kGroup);
  if (!numbers.isSumNan()) {
    numbers.countNumbers(groups);
    return numbers.store(lanes);
  }
  Vectors<Element, Width> all(lanes);
  for (std::size_t i = 0; i < groups; ++i) all.template add<true>(chunk + i * kGroup);
  all.store(lanes);
}

}  // namespace shardlens
