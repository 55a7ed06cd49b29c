#pragma once

#include "core/exports/lookup_rows.h"
#include "core/trace/journal/journal.h"

#include <nlohmann/json_fwd.hpp>

namespace shardlens {

// Converts the shards of tensors to the JSON that the page draws. at() returns a list such as
//
//   {"ranks": [0, 1], "shape": [3, 4], "rows": 3, "columns": 4, "text": ["0.5", ...],
//    "along": [0, 0.5, 1], "across": [...], "labels": ["0", ...], "masked": [0, 1, 0],
//    "more": "the first 24 of 3000 rows, 4 of 4 columns", "why": "only statistics: min 0, ..."}
//
// Ranks with equal content share an entry; only the first 64 ranks, 24 rows and 12 columns are
// included. Empty members are omitted. "text" has the elements in row-major order. "along" is the
// relative place of each row, 0 to 1, in the whole tensor or in the table it was looked up in.
// "across" is that of each column.
class PageShards {
 public:
  // The journal must outlive this object. Indexes lookups up to the event `last`.
  PageShards(const Journal& journal, EventId last) : journal_(journal), rows_(journal, last) {}

  // `mask`: the tensor of the mask bits of the rows; 0: none.
  nlohmann::ordered_json at(TensorId tensor, TensorId mask, EventId position);
  std::int64_t cells() const { return cells_; }  // elements returned so far

 private:
  nlohmann::ordered_json partOf(TensorId tensor, TensorId mask, const ValueRecord& value,
                                EventId position);

  const Journal& journal_;
  LookupRows rows_;
  std::int64_t cells_ = 0;
};

}  // namespace shardlens
