#pragma once

#include "core/trace/journal/journal.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace shardlens {

// An index from tensor to the rows of an embedding table that its rows came from. The page colours
// rows by it, so that a table row has the same colour in every tensor. Covers the ids of embedding
// calls, their results, and redistributions of the results.
class LookupRows {
 public:
  // Indexes the events 1..last.
  LookupRows(const Journal& journal, EventId last);

  // The table rows of one tensor, by its rows. `of` is empty if there are more than 100,000 ids or
  // the mesh is unknown.
  struct Rows {
    std::int64_t table = 0;        // number of rows of the table
    std::vector<std::int64_t> of;  // table row of each row; -1: unknown
    bool isIds = false;            // the tensor is the ids tensor
  };
  // Returns the table rows by row of the whole tensor; Rows::of may be empty. Returns nullptr if
  // the tensor is not related to a table. The pointer is valid for the life of this index.
  const Rows* of(TensorId tensor) const;

 private:
  void lookUp(const Journal& journal, EventId op, EventId last);

  std::map<TensorId, std::shared_ptr<const Rows>> rows_;
};

}  // namespace shardlens
