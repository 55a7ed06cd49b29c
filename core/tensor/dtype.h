#pragma once

#include <c10/core/ScalarType.h>

#include "core/model/dtype.h"

namespace shardlens {

at::ScalarType scalarType(DType dtype);
// Throws Refusal for element types that Shardlens does not know.
DType dtypeOf(at::ScalarType type);

}  // namespace shardlens
