// The kernels for GPUs of lookups and losses, as the processor's loops over the fake devices'
// memory. They take the place of kernels/cuda at link time, because this object is linked first.

#include "kernels/cuda/cross_entropy.h"
#include "kernels/cuda/rows.h"

namespace shardlens::kernels::cuda {

void maskedLookup(const TableShard& shard, const Ids& ids, void* out, std::uint8_t* mask, Stream) {
  kernels::maskedLookup(shard, ids, out, mask);
}

void scatterAddRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                    std::optional<std::int64_t> paddingIdx, void* out, Stream) {
  kernels::scatterAddRows(ids, grads, rows, paddingIdx, out);
}

std::optional<std::int64_t> checkIds(const Ids& ids, std::int64_t tableRows, Stream) {
  return kernels::checkIds(ids, tableRows);
}

void sumRows(const LogitShard& shard, const LossTarget& target, RowRange rows, const RowSums& out,
             Stream) {
  kernels::sumRows(shard, target, rows, out);
}

void gradRows(const LogitShard& shard, const LossTarget& target, RowRange rows, const RowSums& sums,
              const LossGrads& grads, void* out, Stream) {
  kernels::gradRows(shard, target, rows, sums, grads, out);
}

}  // namespace shardlens::kernels::cuda
