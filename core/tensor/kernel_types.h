#pragma once

#include "kernels/rows.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace shardlens {

// How kernels see a tensor of ids, which must be of int32 or int64 and lie together.
kernels::Ids kernelIds(const at::Tensor& ids);

// None of what the kernels do not count in.
std::optional<kernels::FloatType> kernelFloats(at::ScalarType type);

}  // namespace shardlens
