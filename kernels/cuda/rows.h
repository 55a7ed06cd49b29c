#pragma once

#include "kernels/cuda/stream.h"
#include "kernels/rows.h"

namespace shardlens::kernels::cuda {

// The functions of kernels/rows.h for pointers on the current GPU, queued on a stream. Only in
// builds with SHARDLENS_WITH_CUDA. Results are bitwise those of the CPU. CUDA errors are thrown as
// std::runtime_error.

void maskedLookup(const TableShard& shard, const Ids& ids, void* out, std::uint8_t* mask,
                  Stream stream);

// `masked` is in CPU memory. Waits for the stream.
void countMasked(const Ids& ids, std::span<const RowRange> shards, std::int64_t* masked,
                 Stream stream);

// `bounds` and `counts` are in CPU memory. Waits for the stream.
void findOwners(const Ids& ids, std::span<const std::int64_t> bounds, std::int32_t* owners,
                std::int64_t* counts, Stream stream);

void ownedLookup(std::span<const TableShard> shards, const Ids& ids, const std::int32_t* owners,
                 void* out, Stream stream);

// The positions are in GPU memory too.
void putRows(const void* rows, std::int64_t rowBytes, std::span<const std::int64_t> positions,
             void* out, Stream stream);

// Keeps the order of the ids by sorting them stably by row first. Throws std::runtime_error for
// 2^31 - 1 or more ids or rows.
void scatterAddRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                    std::optional<std::int64_t> paddingIdx, void* out, Stream stream);

// Waits for the stream. `touched.slots` is not used. Has the same limits as scatterAddRows().
std::int64_t scatterAddTouchedRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                                   std::optional<std::int64_t> paddingIdx,
                                   const TouchedRows& touched, Stream stream);

// Waits for the stream.
std::optional<std::int64_t> checkIds(const Ids& ids, std::int64_t tableRows, Stream stream);

}  // namespace shardlens::kernels::cuda
