#pragma once

#include "core/model/placement.h"
#include "kernels/reduce.h"

#include <c10/core/ScalarType.h>

#include <optional>

namespace shardlens {

// How kernels see the elements of a tensor; none of what they do not reduce.
std::optional<kernels::ElementType> kernelElements(at::ScalarType type);

kernels::ReduceOp kernelOp(ReduceOp op);

}  // namespace shardlens
