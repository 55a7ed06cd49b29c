#pragma once

#include "kernels/rows.h"

struct CUstream_st;  // cudaStream_t points to it: callers need no CUDA header

namespace shardlens::kernels::cuda {

// The functions of rows.h for pointers of a GPU, queued on a stream; only in builds with
// SHARDLENS_WITH_CUDA. What CUDA refuses is thrown as std::runtime_error.

using Stream = CUstream_st*;

void maskedLookup(const TableShard& shard, const Ids& ids, void* out, std::uint8_t* mask,
                  Stream stream);

// Adds in no particular order: floating sums may differ in the last digit between two runs.
void scatterAddRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                    std::optional<std::int64_t> paddingIdx, void* out, Stream stream);

// Waits for the stream.
std::optional<std::int64_t> checkIds(const Ids& ids, std::int64_t tableRows, Stream stream);

}  // namespace shardlens::kernels::cuda
