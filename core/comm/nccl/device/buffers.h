#pragma once

#include "core/model/group_set.h"
#include "kernels/cuda/copy.h"

#include <nccl.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace shardlens {

// A contiguous piece of GPU memory.
struct DeviceBlock {
  void* data = nullptr;
  std::int64_t bytes = 0;
};
// Blocks: one per hosted rank. BlockLists: per hosted rank one block per member of its group, in
// the group's order.
using Blocks = std::vector<DeviceBlock>;
using BlockLists = std::vector<Blocks>;

// Returns true if each block begins at the end of the previous one; also for fewer than two blocks.
bool areContiguous(const Blocks& blocks);
// Returns true if all blocks have the same size, or there is none.
bool haveEqualSizes(const Blocks& blocks);
std::int64_t bytesOf(const Blocks& blocks);

// A copy of one block to another on the same GPU.
using kernels::cuda::BlockCopy;

// Enqueues copies on a stream of the current device. Their blocks do not overlap.
using LocalCopy = std::function<void(const std::vector<BlockCopy>& copies, cudaStream_t stream)>;

// Reduces the addends, in their order, into each output. An output may be one of the addends. Runs
// on the computing stream of `device`, which is current. `count` is in elements; all memory is
// contiguous on the device.
using LocalReduce =
    std::function<void(int device, const std::vector<const void*>& addends,
                       const std::vector<void*>& outputs, std::int64_t count, Reduction reduction)>;

// How to reduce blocks: the reduction, the element type and a function for the local part.
struct BlockReduction {
  Reduction reduction;
  std::int64_t itemBytes = 0;
  std::optional<ncclDataType_t> type;  // nullopt if NCCL lacks it
  LocalReduce local;
};

// Returns true if NCCL can do this reduction. False for bitwise operations, for Min and Max of
// floats, and for scaled integers: their sum can overflow, and the factor may be no integer.
bool canReduce(const BlockReduction& how);

// Returns the factor of a premul_sum as an element of the type. Requires a floating-point type.
// Throws CheckFailed for other types.
std::vector<char> scalarOf(ncclDataType_t type, double factor);

}  // namespace shardlens
