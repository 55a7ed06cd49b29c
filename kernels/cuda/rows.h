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

// Waits for the stream.
std::optional<std::int64_t> checkIds(const Ids& ids, std::int64_t tableRows, Stream stream);

}  // namespace shardlens::kernels::cuda
