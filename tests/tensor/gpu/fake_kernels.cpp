// The kernels for GPUs of lookups and losses, as the processor's loops over the fake devices'
// memory. They take the place of kernels/cuda at link time, because this object is linked first.

#include "kernels/cuda/cross_entropy.h"
#include "kernels/cuda/rows.h"

namespace shardlens::kernels::cuda {

void maskedLookup(const TableShard& shard, const Ids& ids, void* out, std::uint8_t* mask, Stream) {
  kernels::maskedLookup(shard, ids, out, mask);
}

void countMasked(const Ids& ids, std::span<const RowRange> shards, std::int64_t* masked, Stream) {
  kernels::countMasked(ids, shards, masked);
}

void findOwners(const Ids& ids, std::span<const std::int64_t> bounds, std::int32_t* owners,
                std::int64_t* counts, Stream) {
  kernels::findOwners(ids, bounds, owners, counts);
}

void ownedLookup(std::span<const TableShard> shards, const Ids& ids, const std::int32_t* owners,
                 void* out, Stream) {
  kernels::ownedLookup(shards, ids, owners, out);
}

void putRows(const void* rows, std::int64_t rowBytes, std::span<const std::int64_t> positions,
             void* out, Stream) {
  kernels::putRows(rows, rowBytes, positions, out);
}

void scatterAddRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                    std::optional<std::int64_t> paddingIdx, void* out, Stream) {
  kernels::scatterAddRows(ids, grads, rows, paddingIdx, out);
}

std::int64_t scatterAddTouchedRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                                   std::optional<std::int64_t> paddingIdx,
                                   const TouchedRows& touched, Stream) {
  return kernels::scatterAddTouchedRows(ids, grads, rows, paddingIdx, touched);
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
