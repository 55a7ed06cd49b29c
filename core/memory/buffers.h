#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace shardlens {

// For each hosted rank its buffer, in the order of hosted().
using Buffers = std::vector<at::Tensor>;
// For each hosted rank a buffer for each member of its group, in the group's order.
using BufferLists = std::vector<Buffers>;

}  // namespace shardlens
