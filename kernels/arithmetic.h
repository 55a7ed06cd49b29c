#pragma once

#include "kernels/float16.h"
#include "kernels/host_device.h"

#include <cstdint>
#include <type_traits>

namespace shardlens::kernels {

// Element arithmetic that is the same on every device. A GPU would fuse a product and a sum and
// round once instead of twice, so files that include this are compiled with --fmad=false.

template <class T>
inline constexpr bool kIsFloat16 = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

// The type in which an element is computed: float for 16-bit floats, else the type itself.
template <class T>
using Calculated = std::conditional_t<kIsFloat16<T>, float, T>;

// Converts an element to its computed type, exactly.
template <class T>
SHARDLENS_HOST_DEVICE Calculated<T> widened(T value) {
  if constexpr (kIsFloat16<T>) {
    return static_cast<float>(value);
  } else {
    return value;
  }
}

// Converts a computed value to an element, rounded to nearest, ties to even.
template <class T>
SHARDLENS_HOST_DEVICE T narrowed(Calculated<T> value) {
  if constexpr (kIsFloat16<T>) {
    return T::from(value);
  } else {
    return value;
  }
}

// Returns the sum of two elements, rounded to their type.
template <class T>
SHARDLENS_HOST_DEVICE T roundedSum(T a, T b) {
  return narrowed<T>(widened(a) + widened(b));
}

}  // namespace shardlens::kernels
