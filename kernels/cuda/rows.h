#pragma once

#include "kernels/cuda/stream.h"
#include "kernels/rows.h"

namespace shardlens::kernels::cuda {

// The functions of kernels/rows.h for pointers on the current GPU, queued on a stream. Only in
// builds with SHARDLENS_WITH_CUDA. Results are bitwise those of the CPU. CUDA errors are thrown as
// std::runtime_error.

void maskedLookup(const TableShard& shard, const Ids& ids, void* out, std::uint8_t* mask,
                  Stream stream);

// Keeps the order of the ids by sorting them stably by row first. Throws std::runtime_error for
// 2^31 - 1 or more ids or rows.
void scatterAddRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                    std::optional<std::int64_t> paddingIdx, void* out, Stream stream);

// A check that all ids are in [0, tableRows), queued on a stream by the constructor. Only
// firstBad() and the destructor block. The ids must not be freed before the stream has passed the
// check.
class IdCheck {
 public:
  IdCheck(const Ids& ids, std::int64_t tableRows, Stream stream);
  // Blocks until the check has run.
  ~IdCheck();
  IdCheck(const IdCheck&) = delete;
  IdCheck& operator=(const IdCheck&) = delete;

  // Blocks until the check has run. Returns the position of the first id outside the table, or
  // nullopt.
  std::optional<std::int64_t> firstBad();

  struct Slot;  // where the GPU writes the result

 private:
  Slot* slot_ = nullptr;  // null for no ids
};

}  // namespace shardlens::kernels::cuda
