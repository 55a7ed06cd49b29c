#pragma once

#include "core/model/dtype.h"
#include "core/model/placement.h"
#include "kernels/reduce.h"
#include "kernels/rows.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace shardlens {

// One element type in the words of the model, of torch and of the kernels: a single table.

at::ScalarType scalarType(DType dtype);
// Throws Refusal for element types that Shardlens does not know.
DType dtypeOf(at::ScalarType type);

// How kernels see the elements of a tensor; none of what they do not reduce.
std::optional<kernels::ElementType> kernelElements(at::ScalarType type);
// None of what the kernels do not count in.
std::optional<kernels::FloatType> kernelFloats(at::ScalarType type);
// How kernels see a tensor of ids, which must be of int32 or int64 and contiguous.
kernels::Ids kernelIds(const at::Tensor& ids);

kernels::ReduceOp kernelOp(ReduceOp op);

}  // namespace shardlens
