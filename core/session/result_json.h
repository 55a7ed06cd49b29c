#pragma once

#include <ATen/core/Tensor.h>
#include <nlohmann/json.hpp>

#include <vector>

namespace shardlens {

// Returns the answer's entry for a result: shape, dtype, placements, and the local shape and values
// per hosted rank. Ranks outside the tensor's mesh have shape [0]. Meta tensors have no "data".
nlohmann::ordered_json describeResult(const at::Tensor& tensor, const std::vector<int>& hosted);

}  // namespace shardlens
