#pragma once

#include "core/model/dtype.h"

#include <c10/core/ScalarType.h>

namespace shardlens {

at::ScalarType scalarType(DType dtype);
// Throws Refusal for element types that Shardlens does not know.
DType dtypeOf(at::ScalarType type);

}  // namespace shardlens
