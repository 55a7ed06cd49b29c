#pragma once

#include "kernels/cuda/grid.h"
#include "kernels/owned.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace shardlens::kernels::cuda {

using Position = unsigned long long;  // the type of atomics

// The result of FindOutside. `first` is in GPU memory, because it is lowered atomically. `isBad`
// may be in pinned CPU memory, and is written only if there is a bad id.
struct BadIds {
  static constexpr Position kNone = ~Position{0};

  Position* first;  // position of the first bad id; kNone before
  std::int32_t* isBad;
};

// Lowers a number that other threads lower too.
SHARDLENS_HOST_DEVICE inline void lowerTo(Position* number, Position value) {
#ifdef __CUDA_ARCH__
  atomicMin(number, value);
#else
  *number = std::min(*number, value);
#endif
}

// Finds the first id outside a table. See Note [Bodies of kernels].
template <class Id>
struct FindOutside {
  const Id* ids;
  std::int64_t count;
  RowRange table;
  BadIds found;

  SHARDLENS_HOST_DEVICE void operator()(const Place& at) const {
    for (std::int64_t i = firstItem(at); i < count; i += itemStride(at)) {
      if (isOwned(rowInShard(ids[i], table), table)) continue;
      lowerTo(found.first, static_cast<Position>(i));
      *found.isBad = 1;
      return;  // later ids of this thread are not the first
    }
  }
};

// Queues a search for ids outside [0, tableRows). `found.first` must be kNone and `*found.isBad` 0
// before.
template <class Queue>
void findOutsideOn(Queue& queue, const Ids& ids, std::int64_t tableRows, BadIds found) {
  withIds(ids, [&](const auto* data) {
    using Id = std::remove_cvref_t<decltype(*data)>;
    queue.launch(shapeFor(ids.count), FindOutside<Id>{data, ids.count, {0, tableRows}, found},
                 "check of ids");
  });
}

}  // namespace shardlens::kernels::cuda
