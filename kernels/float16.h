#pragma once

#include "kernels/host_device.h"
#include "kernels/rows.h"

#include <bit>
#include <cstdint>

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace shardlens::kernels {

// The two 16-bit floats as stored, for CPUs without arithmetic on them. Widening is exact;
// narrowing rounds to nearest, ties to even. A GPU uses its instructions, which give the same
// results except for the payload of NaN.

struct BFloat16 {
  std::uint16_t bits;

  SHARDLENS_HOST_DEVICE explicit operator float() const {
#ifdef __CUDA_ARCH__
    return __uint_as_float(std::uint32_t{bits} << 16);
#else
    return std::bit_cast<float>(std::uint32_t{bits} << 16);
#endif
  }
  SHARDLENS_HOST_DEVICE static BFloat16 from(float value) {
#ifdef __CUDA_ARCH__
    return {__bfloat16_as_ushort(__float2bfloat16_rn(value))};
#else
    const auto wide = std::bit_cast<std::uint32_t>(value);
    // Computes both results and selects one, so that loops have no branch.
    const std::uint32_t rounded = (wide + 0x7FFF + (wide >> 16 & 1)) >> 16;
    const std::uint32_t notANumber = wide >> 16 | 0x40;
    const bool isNumber = (wide & 0x7FFFFFFF) <= 0x7F800000;
    return {static_cast<std::uint16_t>(isNumber ? rounded : notANumber)};
#endif
  }
};

struct Float16 {
  std::uint16_t bits;

  SHARDLENS_HOST_DEVICE explicit operator float() const {
#ifdef __CUDA_ARCH__
    return __half2float(__ushort_as_half(bits));
#else
    const std::uint32_t sign = std::uint32_t{bits} >> 15 << 31;
    const std::uint32_t magnitude = std::uint32_t{bits} & 0x7FFF;
    // Reinterpreted as a float, the value is too small by the difference of the exponent biases.
    constexpr float kBiases = 0x1p112F;
    const float value = std::bit_cast<float>(magnitude << 13) * kBiases;
    const std::uint32_t unbounded = 0x7F800000 | (magnitude & 0x3FF) << 13;
    return std::bit_cast<float>(
        sign | (magnitude >= 0x7C00 ? unbounded : std::bit_cast<std::uint32_t>(value)));
#endif
  }
  SHARDLENS_HOST_DEVICE static Float16 from(float value) {
#ifdef __CUDA_ARCH__
    return {__half_as_ushort(__float2half_rn(value))};
#else
    const auto wide = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = wide >> 16 & 0x8000;
    const std::uint32_t magnitude = wide & 0x7FFFFFFF;
    // Computes all results and selects one, so that loops have no branch. Adding a half makes the
    // CPU round a subnormal.
    constexpr float kHalf = 0.5F;
    const float raised = std::bit_cast<float>(magnitude) + kHalf;
    const std::uint32_t subnormal =
        std::bit_cast<std::uint32_t>(raised) - std::bit_cast<std::uint32_t>(kHalf);
    std::uint32_t half = (magnitude + 0xFFF + (magnitude >> 13 & 1) - (112U << 23)) >> 13;
    half = magnitude < 0x38800000 ? subnormal : half;
    half = magnitude >= 0x47800000 ? 0x7C00 : half;                             // 65536 and above
    half = magnitude > 0x7F800000 ? 0x7E00 | (magnitude >> 13 & 0x3FF) : half;  // NaN
    return {static_cast<std::uint16_t>(sign | half)};
#endif
  }
};

// Calls f with a value-initialised element of the type. Returns what f returns.
template <class F>
auto withFloats(FloatType type, F f) {
  switch (type) {
    case FloatType::Float16:
      return f(Float16{});
    case FloatType::BFloat16:
      return f(BFloat16{});
    case FloatType::Float32:
      return f(float{});
    default:
      return f(double{});
  }
}

}  // namespace shardlens::kernels
