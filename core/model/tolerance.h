#pragma once

#include "core/model/dtype.h"

namespace shardlens {

// How far apart two elements may be and still be the same: what torch.testing.assert_close takes
// for close. Whole numbers and truth values have to be equal.
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
