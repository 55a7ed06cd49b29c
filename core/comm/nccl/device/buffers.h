#pragma once

#include "core/model/group_set.h"

#include <nccl.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace shardlens {

// Memory of a GPU that lies together.
struct DeviceBlock {
  void* data = nullptr;
  std::int64_t bytes = 0;
};
// For each hosted rank its block; and a block for each member of its group, in the group's order.
using Blocks = std::vector<DeviceBlock>;
using BlockLists = std::vector<Blocks>;

bool lieSideBySide(const Blocks& blocks);
bool areEquallyLong(const Blocks& blocks);
std::int64_t bytesOf(const Blocks& blocks);

// Makes `into`, which may be one of the terms, their reduction in their order, on the stream that
// computes on the GPU where they lie.
using LocalReduce = std::function<void(int device, const std::vector<const void*>& terms,
                                       void* into, std::int64_t count, Reduction reduction)>;

// What becomes of terms, and how elements of their type are reduced.
struct BlockReduction {
  Reduction reduction;
  std::int64_t itemBytes = 0;
  std::optional<ncclDataType_t> type;  // none where NCCL does not know it
  LocalReduce local;
};

// What NCCL reduces as it is asked to. Not bitwise, and not integers that are scaled: their sum may
// be too large for their type, or the factor no integer.
bool canReduce(const BlockReduction& how);

// The factor of a premul_sum as an element of the type.
std::vector<char> scalarOf(ncclDataType_t type, double factor);

}  // namespace shardlens
