#include "kernels/cuda/rows.h"
#include "kernels/cuda/stream_queue.h"
#include "kernels/owned.h"

#include <algorithm>
#include <vector>

namespace shardlens::kernels::cuda {
namespace {

using Count = unsigned long long;  // the type of atomics

// Up to this many parts are counted in shared memory, where additions contend less.
constexpr int kMostPartsOfBlock = 1024;

template <class Id>
__global__ void __launch_bounds__(kThreads)
    findOwnersOf(const Id* ids, std::int64_t count, const std::int64_t* bounds, std::int64_t parts,
                 std::int32_t* owners, Count* counts) {
  __shared__ unsigned found[kMostPartsOfBlock];
  const bool ofBlock = parts <= kMostPartsOfBlock;
  if (ofBlock) {
    for (int j = static_cast<int>(threadIdx.x); j < parts; j += kThreads) found[j] = 0;
    __syncthreads();
  }
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * kThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count;
       i += stride) {
    const std::int64_t owner = partOf(bounds, parts, ids[i]);
    owners[i] = static_cast<std::int32_t>(owner);
    if (ofBlock) {
      atomicAdd(found + owner, 1U);
    } else {
      atomicAdd(counts + owner, Count{1});
    }
  }
  if (!ofBlock) return;
  __syncthreads();
  for (int j = static_cast<int>(threadIdx.x); j < parts; j += kThreads) {
    if (found[j] > 0) atomicAdd(counts + j, Count{found[j]});
  }
}

// One row of blocks per shard; with more shards than rows of blocks, each row does several.
template <class Id>
__global__ void __launch_bounds__(kThreads)
    countOwned(const Id* ids, std::int64_t count, const RowRange* shards, std::int64_t shardCount,
               Count* owned) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * kThreads;
  for (std::int64_t shard = blockIdx.y; shard < shardCount; shard += gridDim.y) {
    const RowRange rows = shards[shard];
    Count mine = 0;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count;
         i += stride) {
      mine += isOwned(rowInShard(ids[i], rows), rows) ? 1 : 0;
    }
    for (int distance = warpSize / 2; distance > 0; distance /= 2) {
      mine += __shfl_down_sync(~0U, mine, distance);
    }
    if (threadIdx.x % warpSize == 0 && mine > 0) atomicAdd(owned + shard, mine);
  }
}

template <class Id>
struct FindOutside {
  const Id* ids;
  std::int64_t count;
  RowRange table;
  Count* first;
  __device__ void operator()(const Place& at) const {
    for (std::int64_t i = firstItem(at); i < count; i += itemStride(at)) {
      if (isOwned(rowInShard(ids[i], table), table)) continue;
      atomicMin(first, static_cast<Count>(i));
      return;  // later ids of this thread are not the first
    }
  }
};

unsigned blocksFor(std::int64_t items) { return static_cast<unsigned>(shapeFor(items).blocks); }

}  // namespace

void findOwners(const Ids& ids, std::span<const std::int64_t> bounds, std::int32_t* owners,
                std::int64_t* counts, Stream stream) {
  const std::size_t parts = bounds.size() - 1;
  Scratch ends(bounds.size_bytes(), stream), found(parts * sizeof(Count), stream);
  ends.set(bounds.data());
  found.fill(0);
  if (ids.count > 0) {
    withIds(ids, [&](const auto* data) {
      findOwnersOf<<<blocksFor(ids.count), kThreads, 0, stream>>>(
          data, ids.count, ends.as<std::int64_t>(), static_cast<std::int64_t>(parts), owners,
          found.as<Count>());
    });
    check(cudaGetLastError(), "owners of rows");
  }
  found.read(counts, parts * sizeof(Count));
}

void countMasked(const Ids& ids, std::span<const RowRange> shards, std::int64_t* masked,
                 Stream stream) {
  std::fill_n(masked, shards.size(), 0);
  if (ids.count == 0 || shards.empty()) return;
  Scratch ranges(shards.size_bytes(), stream), owned(shards.size() * sizeof(Count), stream);
  ranges.set(shards.data());
  owned.fill(0);
  const dim3 grid(blocksFor(ids.count),
                  static_cast<unsigned>(std::min<std::size_t>(shards.size(), kMostSlices)));
  withIds(ids, [&](const auto* data) {
    countOwned<<<grid, kThreads, 0, stream>>>(data, ids.count, ranges.as<RowRange>(),
                                              static_cast<std::int64_t>(shards.size()),
                                              owned.as<Count>());
  });
  check(cudaGetLastError(), "count of masked ids");
  owned.read(masked, shards.size() * sizeof(Count));
  for (std::size_t j = 0; j < shards.size(); ++j) masked[j] = ids.count - masked[j];
}

std::optional<std::int64_t> checkIds(const Ids& ids, std::int64_t tableRows, Stream stream) {
  if (ids.count == 0) return std::nullopt;
  Scratch found(sizeof(Count), stream);
  found.fill(0xFF);
  withIds(ids, [&](const auto* data) {
    using Id = std::remove_cvref_t<decltype(*data)>;
    StreamQueue{stream}.launch(
        shapeFor(ids.count),
        FindOutside<Id>{data, ids.count, {.begin = 0, .count = tableRows}, found.as<Count>()},
        "check of ids");
  });
  auto first = ~Count{0};
  found.read(&first, sizeof first);
  if (first == ~Count{0}) return std::nullopt;
  return static_cast<std::int64_t>(first);
}

}  // namespace shardlens::kernels::cuda
