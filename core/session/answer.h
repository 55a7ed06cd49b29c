#pragma once

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

namespace shardlens {

// A result as the answer shows it: shape, dtype, placements, and each hosted rank's values.
nlohmann::ordered_json describeResult(const at::Tensor& tensor);

}  // namespace shardlens
