#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace shardlens {

// One buffer per hosted rank, in the order of Communicator::hosted().
using Buffers = std::vector<at::Tensor>;
// Per hosted rank one buffer per member of its group, in the group's order.
using BufferLists = std::vector<Buffers>;

}  // namespace shardlens
