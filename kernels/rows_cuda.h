#pragma once

#include "kernels/rows.h"

struct CUstream_st;  // cudaStream_t points to it: callers need no CUDA header

namespace shardlens::kernels::cuda {

// The functions of rows.h for pointers of a GPU, queued on a stream; only in builds with
// SHARDLENS_WITH_CUDA. What CUDA refuses is thrown as std::runtime_error.

using Stream = CUstream_st*;

void maskedLookup(const TableShard& shard, const Ids& ids, void* out, std::uint8_t* mask,
                  Stream stream);

// The counts are in memory of the processor's, and the call waits for the stream.
void findOwners(const Ids& ids, std::span<const std::int64_t> bounds, std::int32_t* owners,
                std::int64_t* counts, Stream stream);

void ownedLookup(std::span<const TableShard> shards, const Ids& ids, const std::int32_t* owners,
                 void* out, Stream stream);

// The positions are the GPU's too.
void putRows(const void* rows, std::int64_t rowBytes, std::span<const std::int64_t> positions,
             void* out, Stream stream);

// Adds in no particular order: floating sums may differ in the last digit between two runs.
void scatterAddRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                    std::optional<std::int64_t> paddingIdx, void* out, Stream stream);

// The rows come in no particular order either. Waits for the stream.
std::int64_t scatterAddTouchedRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                                   std::optional<std::int64_t> paddingIdx,
                                   const TouchedRows& touched, Stream stream);

// Waits for the stream.
std::optional<std::int64_t> checkIds(const Ids& ids, std::int64_t tableRows, Stream stream);

}  // namespace shardlens::kernels::cuda
