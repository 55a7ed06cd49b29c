#pragma once

#include "kernels/host_device.h"
#include "kernels/rows.h"

#include <cstdint>

namespace shardlens::kernels {

// Where an id's row stands in the shard; where the shard does not have it, a number not below
// rows.count. One comparison tells, also for negative ids: unsigned numbers wrap around.
SHARDLENS_HOST_DEVICE inline std::uint64_t rowInShard(std::int64_t id, RowRange rows) {
  return static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(rows.begin);
}

SHARDLENS_HOST_DEVICE inline bool isOwned(std::uint64_t row, RowRange rows) {
  return row < static_cast<std::uint64_t>(rows.count);
}

// Which part of a table a row is in, where part j has the rows from bounds[j] to bounds[j + 1]: a
// binary search without a branch, as no processor foretells which part it is.
SHARDLENS_HOST_DEVICE inline std::int64_t partOf(const std::int64_t* bounds, std::int64_t parts,
                                                 std::int64_t id) {
  const std::int64_t* part = bounds;
  for (std::int64_t left = parts; left > 1;) {
    const std::int64_t half = left / 2;
    part = part[half] <= id ? part + half : part;
    left -= half;
  }
  return part - bounds;
}

// Calls f with the ids as what they are.
template <class F>
auto withIds(const Ids& ids, F f) {
  return ids.type == IdType::Int32 ? f(static_cast<const std::int32_t*>(ids.data))
                                   : f(static_cast<const std::int64_t*>(ids.data));
}

}  // namespace shardlens::kernels
