#pragma once

#include "kernels/cuda/stream.h"
#include "kernels/rows.h"

namespace shardlens::kernels::cuda {

// The functions of kernels/rows.h for pointers of the current GPU, queued on a stream of it; only
// in builds with SHARDLENS_WITH_CUDA. Same results, bit by bit. What CUDA refuses is thrown as
// std::runtime_error.

void maskedLookup(const TableShard& shard, const Ids& ids, void* out, std::uint8_t* mask,
                  Stream stream);

// The counts are in memory of the processor's, and the call waits for the stream.
void countMasked(const Ids& ids, std::span<const RowRange> shards, std::int64_t* masked,
                 Stream stream);

// Here too.
void findOwners(const Ids& ids, std::span<const std::int64_t> bounds, std::int32_t* owners,
                std::int64_t* counts, Stream stream);

void ownedLookup(std::span<const TableShard> shards, const Ids& ids, const std::int32_t* owners,
                 void* out, Stream stream);

// The positions are the GPU's too.
void putRows(const void* rows, std::int64_t rowBytes, std::span<const std::int64_t> positions,
             void* out, Stream stream);

// In the order of the ids too, for they are sorted first, by row. Ids and rows of the shard have to
// be fewer than 2^31.
void scatterAddRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                    std::optional<std::int64_t> paddingIdx, void* out, Stream stream);

// Waits for the stream. No slots are needed.
std::int64_t scatterAddTouchedRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                                   std::optional<std::int64_t> paddingIdx,
                                   const TouchedRows& touched, Stream stream);

// Waits for the stream.
std::optional<std::int64_t> checkIds(const Ids& ids, std::int64_t tableRows, Stream stream);

}  // namespace shardlens::kernels::cuda
