#pragma once

#include <cstdint>
#include <optional>

namespace shardlens::kernels {

// What the kernels on the rows of a table are told: raw pointers, all on one device, no ownership.

enum class IdType : std::uint8_t { Int32, Int64 };

struct Ids {
  const void* data = nullptr;
  IdType type = IdType::Int64;
  std::int64_t count = 0;
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

// The reference: one thread of this processor. Pointers of empty buffers may be null.

// Masks, shifts, looks up and zeroes in one pass: row i of `out` is the table's row of ids[i] where
// the shard has it, and zero elsewhere. `mask`, where given, gets 1 for each masked id, else 0.
//
//   rows [3, 6) of [[0], [10], ... [90]], ids 4 9 3  ->  out 40 0 30, mask 0 1 0
void maskedLookup(const TableShard& shard, const Ids& ids, void* out, std::uint8_t* mask);

// Adds the gradient's row of each id that the shard has, but not of `paddingIdx`, to the shard's
// row: `out` is rows.count rows, zeroed by the caller. In the order of the ids, each addition
// rounded to the gradient's type.
void scatterAddRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                    std::optional<std::int64_t> paddingIdx, void* out);

// The position of the first id outside [0, tableRows).
std::optional<std::int64_t> checkIds(const Ids& ids, std::int64_t tableRows);

}  // namespace shardlens::kernels
