#include "kernels/cuda/row_sums.h"
#include "kernels/cuda/rows.h"
#include "kernels/cuda/stream_queue.h"

namespace shardlens::kernels::cuda {

void scatterAddRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                    std::optional<std::int64_t> paddingIdx, void* out, Stream stream) {
  StreamQueue queue{stream};
  scatterAddRowsOn(queue, ids, grads, rows, paddingIdx, out);
}

}  // namespace shardlens::kernels::cuda
