// The kernels for GPUs of lookups, losses and copies, as the processor's loops over the fake
// devices' memory. They take the place of kernels/cuda at link time, because this object is linked
// first.

#include "kernels/cuda/copy.h"
#include "kernels/cuda/cross_entropy.h"
#include "kernels/cuda/memory.h"
#include "kernels/cuda/rows.h"
#include "tests/tensor/gpu/fake_cuda.h"

#include <cstring>

namespace shardlens::kernels::cuda {

void maskedLookup(const TableShard& shard, const Ids& ids, void* out, std::uint8_t* mask, Stream) {
  kernels::maskedLookup(shard, ids, out, mask);
}

void scatterAddRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                    std::optional<std::int64_t> paddingIdx, void* out, Stream) {
  kernels::scatterAddRows(ids, grads, rows, paddingIdx, out);
}

struct IdCheck::Slot {
  std::optional<std::int64_t> firstBad;
};

IdCheck::IdCheck(const Ids& ids, std::int64_t tableRows, Stream)
    : slot_(new Slot{kernels::checkIds(ids, tableRows)}) {
  ++fake_cuda::counts().idChecks;
}

IdCheck::~IdCheck() { delete slot_; }

std::optional<std::int64_t> IdCheck::firstBad() {
  ++fake_cuda::counts().waits;
  return slot_->firstBad;
}

void copyPieces(std::span<const StridedPiece> pieces, Stream) {
  ++fake_cuda::counts().copyLaunches;
  for (const auto& [layout, to, from] : pieces) {
    layout.copy(static_cast<char*>(to), static_cast<const char*>(from), 0, layout.bytes());
  }
}

void copyBlocks(std::span<const BlockCopy> copies, Stream) {
  ++fake_cuda::counts().copyLaunches;
  for (const auto& [to, from, bytes] : copies) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
}

std::int64_t freeMemory() { return std::int64_t{64} << 30; }

void sumRows(const LogitShard& shard, const LossTarget& target, RowRange rows, const RowSums& out,
             Stream) {
  kernels::sumRows(shard, target, rows, out);
}

void gradRows(const LogitShard& shard, const LossTarget& target, RowRange rows, const RowSums& sums,
              const LossGrads& grads, void* out, Stream) {
  kernels::gradRows(shard, target, rows, sums, grads, out);
}

}  // namespace shardlens::kernels::cuda
