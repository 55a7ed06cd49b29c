#include "kernels/cuda/rows.h"
#include "kernels/cuda/stream_queue.h"
#include "kernels/owned.h"

namespace shardlens::kernels::cuda {
namespace {

using Count = unsigned long long;  // the type of atomics

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

}  // namespace

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
