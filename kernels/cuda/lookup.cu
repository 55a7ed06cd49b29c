#include "kernels/cuda/row_moves.h"
#include "kernels/cuda/rows.h"
#include "kernels/cuda/stream_queue.h"

namespace shardlens::kernels::cuda {

void maskedLookup(const TableShard& shard, const Ids& ids, void* out, std::uint8_t* mask,
                  Stream stream) {
  StreamQueue queue{stream};
  maskedLookupOn(queue, shard, ids, out, mask);
}

void ownedLookup(std::span<const TableShard> shards, const Ids& ids, const std::int32_t* owners,
                 void* out, Stream stream) {
  StreamQueue queue{stream};
  ownedLookupOn(queue, shards, ids, owners, out);
}

void putRows(const void* rows, std::int64_t rowBytes, std::span<const std::int64_t> positions,
             void* out, Stream stream) {
  StreamQueue queue{stream};
  putRowsOn(queue, rows, rowBytes, positions, out);
}

}  // namespace shardlens::kernels::cuda
