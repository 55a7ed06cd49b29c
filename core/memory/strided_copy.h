#pragma once

#include "kernels/strided_copy.h"

#include <ATen/core/Tensor.h>

namespace shardlens {

using kernels::StridedCopy;

// Whether a tensor's elements lie in this process's memory as they are: not conjugated on reading,
// not on a device, not sharded.
bool isPlain(const at::Tensor& tensor);

// Between two tensors of one shape and dtype.
StridedCopy copyBetween(const at::Tensor& to, const at::Tensor& from);
// Between a tensor's layout and memory that is filled in the order of its elements.
StridedCopy copyToPacked(const at::Tensor& tensor);
StridedCopy copyFromPacked(const at::Tensor& tensor);

}  // namespace shardlens
