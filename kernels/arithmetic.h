#pragma once

#include "kernels/float16.h"
#include "kernels/host_device.h"

#include <cstdint>
#include <type_traits>

namespace shardlens::kernels {

// How elements are calculated with, on every device alike. A GPU that would make one instruction of
// a product and a sum rounds once instead of twice: files that include this are compiled without
// that.

template <class T>
inline constexpr bool kIsFloat16 = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

// The type in which an element is calculated with.
template <class T>
using Calculated = std::conditional_t<kIsFloat16<T>, float, T>;

template <class T>
SHARDLENS_HOST_DEVICE Calculated<T> widened(T value) {
  if constexpr (kIsFloat16<T>) {
    return static_cast<float>(value);
  } else {
    return value;
  }
}

template <class T>
SHARDLENS_HOST_DEVICE T narrowed(Calculated<T> value) {
  if constexpr (kIsFloat16<T>) {
    return T::from(value);
  } else {
    return value;
  }
}

// The sum of two floats, rounded to their type.
template <class T>
SHARDLENS_HOST_DEVICE T roundedSum(T a, T b) {
  return narrowed<T>(widened(a) + widened(b));
}

}  // namespace shardlens::kernels
