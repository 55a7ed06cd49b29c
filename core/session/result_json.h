#pragma once

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include <vector>

namespace shardlens {

// A result as the answer shows it: shape, dtype, placements, and each hosted rank's values. A rank
// outside the tensor's mesh has an empty part.
nlohmann::ordered_json describeResult(const at::Tensor& tensor, const std::vector<int>& hosted);

}  // namespace shardlens
