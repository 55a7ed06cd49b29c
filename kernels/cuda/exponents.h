#pragma once

#include "kernels/host_device.h"

#include <cmath>

namespace shardlens::kernels::cuda {

// Exponentials of losses. Those of floats are powers of 2, for which a GPU has an instruction.

inline constexpr float kLog2OfE = 1.44269504F;

// Returns 2^x with a relative error of 2^-22. Results below 2^-126 are 0.
SHARDLENS_HOST_DEVICE inline float powerOf2(float x) {
#ifdef __CUDA_ARCH__
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
#else
  const float power = std::exp2(x);
  return power < 0x1p-126F ? 0.F : power;
#endif
}

// exp(x).
struct ExpOf {
  SHARDLENS_HOST_DEVICE float operator()(float x) const { return powerOf2(x * kLog2OfE); }
  SHARDLENS_HOST_DEVICE double operator()(double x) const { return exp(x); }
};

// exp(x - base) for many x <= base, as of(x) * scale().
template <class W>
class ExpFrom {
 public:
  SHARDLENS_HOST_DEVICE explicit ExpFrom(W base) : base_(base) {}
  SHARDLENS_HOST_DEVICE W of(W x) const { return exp(x - base_); }
  SHARDLENS_HOST_DEVICE W scale() const { return 1; }

 private:
  W base_;
};

// of() is one fused multiply-add, which rounds once, and one power of 2; --fmad=false does not
// affect fmaf(). scale() corrects the rounding of offset_. Above 1e38 the product could overflow.
// There, exp(x - base) is 1 for x = base and 0 for any smaller float, so the factor is 1.
template <>
class ExpFrom<float> {
 public:
  SHARDLENS_HOST_DEVICE explicit ExpFrom(float base)
      : factor_(fabsf(base) < 1e38F ? kLog2OfE : 1.F),
        offset_(base * factor_),
        scale_(powerOf2(-fmaf(base, factor_, -offset_))) {}
  SHARDLENS_HOST_DEVICE float of(float x) const { return powerOf2(fmaf(x, factor_, -offset_)); }
  SHARDLENS_HOST_DEVICE float scale() const { return scale_; }

 private:
  float factor_;
  float offset_;
  float scale_;
};

}  // namespace shardlens::kernels::cuda
