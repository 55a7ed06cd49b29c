#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace shardlens::kernels {

// What the kernels on the rows of a table are told: raw pointers, all on one device, no ownership.

enum class IdType : std::uint8_t { Int32, Int64 };

struct Ids {
  const void* data = nullptr;
  IdType type = IdType::Int64;
  std::int64_t count = 0;

  Ids part(std::int64_t begin, std::int64_t end) const {
    const std::int64_t bytes = type == IdType::Int32 ? 4 : 8;
    return {static_cast<const char*>(data) + begin * bytes, type, end - begin};
  }
};

// Rows [begin, begin + count) of a table, one after another. An id outside of them is another
// rank's, and masked here.
struct RowRange {
  std::int64_t begin = 0;
  std::int64_t count = 0;
};

struct TableShard {
  const void* data = nullptr;
  std::int64_t rowBytes = 0;
  RowRange rows;
};

enum class FloatType : std::uint8_t { Float16, BFloat16, Float32, Float64 };

// The gradient of a lookup: a row of `width` elements for each id.
struct RowGrads {
  const void* data = nullptr;
  FloatType type = FloatType::Float32;
  std::int64_t width = 0;
};

// On this processor, by the calling thread: who has several gives each a part of the ids, or of the
// rows. Nothing is allocated. Pointers of empty buffers may be null.

// Masks, shifts, looks up and zeroes in one pass: row i of `out` is the table's row of ids[i] where
// the shard has it, and zero elsewhere. `mask`, where given, gets 1 for each masked id, else 0.
//
//   rows [3, 6) of [[0], [10], ... [90]], ids 4 9 3  ->  out 40 0 30, mask 0 1 0
void maskedLookup(const TableShard& shard, const Ids& ids, void* out, std::uint8_t* mask);

// How many of the ids each of these shards masks: what such a mask would sum up to.
void countMasked(const Ids& ids, std::span<const RowRange> shards, std::int64_t* masked);

// In which part of a table each id is, and how many are in each. Part j has the rows from bounds[j]
// to bounds[j + 1], maybe none; no id is outside of all.
void findOwners(const Ids& ids, std::span<const std::int64_t> bounds, std::int32_t* owners,
                std::int64_t* counts);

// The sum of the lookups in all shards of a table, without the terms: row i of `out` is the row of
// ids[i] in the shard of owners[i]. Shards that are elsewhere have no data; what `out` has in the
// place of their rows stays.
void ownedLookup(std::span<const TableShard> shards, const Ids& ids, const std::int32_t* owners,
                 void* out);

// The way back of a lookup: row positions[i] of `out` becomes row i. None is named twice.
void putRows(const void* rows, std::int64_t rowBytes, std::span<const std::int64_t> positions,
             void* out);

// Adds the gradient's row of each id that the shard has, but not of `paddingIdx`, to the shard's
// row: `out` is rows.count rows, zeroed by the caller. In the order of the ids, each addition
// rounded to the gradient's type.
void scatterAddRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                    std::optional<std::int64_t> paddingIdx, void* out);

// The rows that some id names.
struct TouchedRows {
  std::int64_t* rows = nullptr;   // which, in the order in which the ids name them first
  void* values = nullptr;         // a row of the gradient for each; both have room for all ids
  std::int32_t* slots = nullptr;  // scratch: -1 for each row of the range, before and after
};

// The same for the rows that it touches alone, which it counts; what it takes depends on the number
// of ids and not on the table's.
std::int64_t scatterAddTouchedRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                                   std::optional<std::int64_t> paddingIdx,
                                   const TouchedRows& touched);

// The position of the first id outside [0, tableRows).
std::optional<std::int64_t> checkIds(const Ids& ids, std::int64_t tableRows);

}  // namespace shardlens::kernels
