#pragma once

#include "kernels/rows.h"

#include <cstdint>

#ifdef __CUDACC__
#define SHARDLENS_HOST_DEVICE __host__ __device__
#else
#define SHARDLENS_HOST_DEVICE
#endif

namespace shardlens::kernels {

// Where an id's row stands in the shard; where the shard does not have it, a number not below
// rows.count. One comparison tells, also for negative ids: unsigned numbers wrap around.
SHARDLENS_HOST_DEVICE inline std::uint64_t rowInShard(std::int64_t id, RowRange rows) {
  return static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(rows.begin);
}

SHARDLENS_HOST_DEVICE inline bool isOwned(std::uint64_t row, RowRange rows) {
  return row < static_cast<std::uint64_t>(rows.count);
}

// Calls f with the ids as what they are.
template <class F>
auto withIds(const Ids& ids, F f) {
  return ids.type == IdType::Int32 ? f(static_cast<const std::int32_t*>(ids.data))
                                   : f(static_cast<const std::int64_t*>(ids.data));
}

}  // namespace shardlens::kernels
