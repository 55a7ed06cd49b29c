#pragma once

#include "kernels/arithmetic.h"
#include "kernels/cuda/word.h"

#include <cstdint>
#include <type_traits>

namespace shardlens::kernels::cuda {

// Conversions of all elements of a pack. A GPU converts 16-bit floats in pairs, which takes half of
// the instructions; the results are those of widened() and narrowed().

// `source` has the bytes of a Pack<T, kCount>.
template <class T, int kCount, class Source>
SHARDLENS_HOST_DEVICE void widen(const Source& source, Calculated<T>* values) {
  static_assert(sizeof source == sizeof(Pack<T, kCount>));
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<T, BFloat16> && kCount % 2 == 0) {
    std::uint32_t pairs[kCount / 2];
    memcpy(pairs, &source, sizeof source);
    SHARDLENS_UNROLLED
    for (int i = 0; i < kCount / 2; ++i) {
      values[2 * i] = __uint_as_float(pairs[i] << 16);
      values[2 * i + 1] = __uint_as_float(pairs[i] & 0xFFFF0000U);
    }
  } else
#endif
  {
    Pack<T, kCount> pack;
    memcpy(&pack, &source, sizeof pack);
    SHARDLENS_UNROLLED
    for (int e = 0; e < kCount; ++e) values[e] = widened(pack.element[e]);
  }
}

template <class T, int kCount>
SHARDLENS_HOST_DEVICE Pack<T, kCount> narrow(const Calculated<T>* values) {
  Pack<T, kCount> pack;
#ifdef __CUDA_ARCH__
  if constexpr (kIsFloat16<T> && kCount % 2 == 0) {
    std::uint32_t pairs[kCount / 2];
    SHARDLENS_UNROLLED
    for (int i = 0; i < kCount / 2; ++i) {
      if constexpr (std::is_same_v<T, BFloat16>) {
        const __nv_bfloat162 pair = __floats2bfloat162_rn(values[2 * i], values[2 * i + 1]);
        memcpy(&pairs[i], &pair, sizeof pair);
      } else {
        const __half2 pair = __floats2half2_rn(values[2 * i], values[2 * i + 1]);
        memcpy(&pairs[i], &pair, sizeof pair);
      }
    }
    memcpy(&pack, pairs, sizeof pack);
  } else
#endif
  {
    SHARDLENS_UNROLLED
    for (int e = 0; e < kCount; ++e) pack.element[e] = narrowed<T>(values[e]);
  }
  return pack;
}

}  // namespace shardlens::kernels::cuda
