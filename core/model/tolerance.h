#pragma once

#include "core/model/dtype.h"

namespace shardlens {

// The tolerances within which two elements count as equal: torch.testing.assert_close's defaults.
// Integers and bools must be equal.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

constexpr Tolerance toleranceOf(DType dtype) {
  switch (dtype) {
    case DType::Float16:
      return {1e-3, 1e-5};
    case DType::BFloat16:
      return {1.6e-2, 1e-5};
    case DType::Float32:
    case DType::Complex64:
      return {1.3e-6, 1e-5};
    case DType::Float64:
    case DType::Complex128:
      return {1e-7, 1e-7};
    default:
      return {};
  }
}

}  // namespace shardlens
