#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace shardlens::kernels {

// Kernels on the rows of a table and their arguments: raw pointers, all on one device, without
// ownership.

enum class IdType : std::uint8_t { Int32, Int64 };

// A list of ids: row numbers in the whole table.
struct Ids {
  const void* data = nullptr;
  IdType type = IdType::Int64;
  std::int64_t count = 0;

  // Returns the ids from index `begin` to `end` (exclusive).
  Ids part(std::int64_t begin, std::int64_t end) const {
    const std::int64_t bytes = type == IdType::Int32 ? 4 : 8;
    return {static_cast<const char*>(data) + begin * bytes, type, end - begin};
  }
};

// Rows [begin, begin + count) of a table, contiguous. An id outside the range belongs to another
// rank and is masked here.
struct RowRange {
  std::int64_t begin = 0;
  std::int64_t count = 0;
};

// The rows of a table that one rank has, contiguous from `data` on. `data` may be null only for
// ownedLookup() and for no rows.
struct TableShard {
  const void* data = nullptr;
  std::int64_t rowBytes = 0;
  RowRange rows;
};

enum class FloatType : std::uint8_t { Float16, BFloat16, Float32, Float64 };

// The gradient of a lookup: one row of `width` elements per id.
struct RowGrads {
  const void* data = nullptr;
  FloatType type = FloatType::Float32;
  std::int64_t width = 0;
};

// The functions below run on the CPU, on the calling thread. A caller with several threads splits
// the ids or the rows. They allocate nothing. Pointers of empty buffers may be null.

// Masks, shifts, looks up and zeroes in one pass. Row i of `out` is the table's row ids[i] if the
// shard has it, else zeros. `mask`, unless null, receives 1 for each masked id, else 0.
//
//   rows [3, 6) of [[0], [10], ... [90]], ids 4 9 3  ->  out 40 0 30, mask 0 1 0
void maskedLookup(const TableShard& shard, const Ids& ids, void* out, std::uint8_t* mask);

// Writes the part of the table that each id is in, and the number of ids per part. Part j has rows
// bounds[j] to bounds[j + 1] and may be empty. Every id must be in one of the parts.
void findOwners(const Ids& ids, std::span<const std::int64_t> bounds, std::int32_t* owners,
                std::int64_t* counts);

// Computes the sum of the lookups in all shards directly: row i of `out` is row ids[i] of shard
// owners[i]. Shards without data are hosted elsewhere; their rows of `out` are left unchanged.
void ownedLookup(std::span<const TableShard> shards, const Ids& ids, const std::int32_t* owners,
                 void* out);

// The inverse of a gather: copies row i to row positions[i] of `out`. Positions must be unique.
void putRows(const void* rows, std::int64_t rowBytes, std::span<const std::int64_t> positions,
             void* out);

// Adds the gradient's row of each id that the shard has, except `paddingIdx`, to the shard's row.
// `out` has rows.count rows and must be zeroed by the caller. Adds in the order of the ids, and
// rounds each sum to the gradient's type.
void scatterAddRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                    std::optional<std::int64_t> paddingIdx, void* out);

// Returns the position of the first id outside [0, tableRows), or nullopt.
std::optional<std::int64_t> checkIds(const Ids& ids, std::int64_t tableRows);

}  // namespace shardlens::kernels
