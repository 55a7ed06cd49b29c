#pragma once

#include "core/model/dtype.h"
#include "core/model/placement.h"
#include "kernels/reduce.h"
#include "kernels/rows.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace shardlens {

// Conversions of element types between the model, torch and the kernels, from one table.

at::ScalarType scalarType(DType dtype);
// Throws Refusal for element types that Shardlens does not support.
DType dtypeOf(at::ScalarType type);

// Returns the kernels' element type, or nullopt if the type is unknown to them.
std::optional<kernels::ElementType> kernelElements(at::ScalarType type);
// Returns the kernels' floating-point type, or nullopt for other types.
std::optional<kernels::FloatType> kernelFloats(at::ScalarType type);
// Returns the kernels' view of an id tensor, which must be int32 or int64, contiguous and
// outlive the returned view.
kernels::Ids kernelIds(const at::Tensor& ids);

kernels::ReduceOp kernelOp(ReduceOp op);

}  // namespace shardlens
