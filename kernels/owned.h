#pragma once

#include "kernels/host_device.h"
#include "kernels/rows.h"

#include <cstdint>

namespace shardlens::kernels {

// Returns the row's index in the shard, or a number >= rows.count if the shard does not have it.
// One unsigned comparison then decides, also for negative ids.
SHARDLENS_HOST_DEVICE inline std::uint64_t rowInShard(std::int64_t id, RowRange rows) {
  return static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(rows.begin);
}

// Returns true if the shard has the row. `row` is the result of rowInShard().
SHARDLENS_HOST_DEVICE inline bool isOwned(std::uint64_t row, RowRange rows) {
  return row < static_cast<std::uint64_t>(rows.count);
}

// Returns the part of a table that has the row `id`; part j has rows bounds[j] to bounds[j + 1].
// Requires an id inside the bounds. A binary search without branches, because their outcome is
// unpredictable.
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

// Calls f with a typed pointer to the ids.
template <class F>
auto withIds(const Ids& ids, F f) {
  return ids.type == IdType::Int32 ? f(static_cast<const std::int32_t*>(ids.data))
                                   : f(static_cast<const std::int64_t*>(ids.data));
}

}  // namespace shardlens::kernels
