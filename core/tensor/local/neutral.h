#pragma once

#include "core/ops/rules/reduced_dims.h"

#include <ATen/core/Tensor.h>

namespace shardlens {

// Return the least and the greatest value of a dtype. These are false and true for bool, and
// infinities for all types that are not integers.
at::Scalar leastOf(at::ScalarType type);
at::Scalar greatestOf(at::ScalarType type);

// Returns a part that is empty along a reduced dimension with one `neutral` element there, which
// does not change the reduction. Returns any other part unchanged.
at::Tensor withNeutral(const at::Tensor& part, const ReducedDims& reduced,
                       const at::Scalar& neutral);

}  // namespace shardlens
