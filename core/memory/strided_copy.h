#pragma once

#include "kernels/strided_copy.h"

#include <ATen/core/Tensor.h>

namespace shardlens {

using kernels::StridedCopy;

// Returns true if the elements can be read directly: strided, in CPU memory, with no lazy
// conjugation or negation, and not sharded.
bool isPlain(const at::Tensor& tensor);

// Returns the copy between two tensors of one shape and dtype. Holds only strides: the pointers are
// passed to copy().
StridedCopy copyBetween(const at::Tensor& to, const at::Tensor& from);
// Return the copies between a tensor and contiguous memory in element order.
StridedCopy copyToPacked(const at::Tensor& tensor);
StridedCopy copyFromPacked(const at::Tensor& tensor);

}  // namespace shardlens
