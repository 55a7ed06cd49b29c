#include "kernels/cuda/row_moves.h"
#include "kernels/cuda/rows.h"
#include "kernels/cuda/stream_queue.h"

namespace shardlens::kernels::cuda {

void maskedLookup(const TableShard& shard, const Ids& ids, void* out, std::uint8_t* mask,
                  Stream stream) {
  StreamQueue queue{stream};
  maskedLookupOn(queue, shard, ids, out, mask);
}

}  // namespace shardlens::kernels::cuda
