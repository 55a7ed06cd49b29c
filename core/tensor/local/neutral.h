#pragma once

#include "core/ops/rules/reduced_dims.h"

#include <ATen/core/Tensor.h>

namespace shardlens {

// The value of a dtype that is not greater, or not less, than any other.
at::Scalar leastOf(at::ScalarType type);
at::Scalar greatestOf(at::ScalarType type);

// A part that holds nothing along the dimensions which are reduced, with one element there instead
// that changes no result; any other part as it is.
at::Tensor withNeutral(const at::Tensor& part, const ReducedDims& reduced,
                       const at::Scalar& neutral);

}  // namespace shardlens
