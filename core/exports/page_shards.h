#pragma once

#include "core/exports/lookup_rows.h"
#include "core/trace/journal/journal.h"

#include <nlohmann/json_fwd.hpp>

namespace shardlens {

// What each rank holds of a tensor at a position, as the page draws it: a list of
//
//   {"ranks": [0, 1], "shape": [3, 4], "rows": 3, "columns": 4, "text": ["0.5", ...],
//    "along": [0, 0.5, 1], "across": [...], "labels": ["0", ...], "masked": [0, 1, 0],
//    "more": "the first 24 of 3000 rows", "why": "only statistics: min 0, ..."}
//
// Ranks that hold the same stand together; what a part has none of is left out. `along` is where a
// row stands in the whole tensor, 0 to 1, or in the table it was looked up in; `across` a column.
class PageShards {
 public:
  PageShards(const Journal& journal, EventId last) : journal_(journal), rows_(journal, last) {}

  // `mask`: the tensor of the bits that say which rows are masked; 0 is none.
  nlohmann::ordered_json at(TensorId tensor, TensorId mask, EventId position);
  std::int64_t cells() const { return cells_; }  // that were given so far

 private:
  nlohmann::ordered_json partOf(TensorId tensor, TensorId mask, const ValueRecord& value,
                                EventId position);

  const Journal& journal_;
  LookupRows rows_;
  std::int64_t cells_ = 0;
};

}  // namespace shardlens
