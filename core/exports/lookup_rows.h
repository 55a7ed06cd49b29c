#pragma once

#include "core/trace/journal/journal.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace shardlens {

// Which rows of a table were looked up, so that a row has one colour wherever it goes. Of ids, and
// of what an embedding makes of them and a redistribution of that, it knows for each row of the
// whole tensor the row of the table.
class LookupRows {
 public:
  // Of the events up to this one.
  LookupRows(const Journal& journal, EventId last);

  struct Rows {
    std::int64_t table = 0;        // so many rows it has
    std::vector<std::int64_t> of;  // by row of the whole tensor; -1 is not known
    bool isIds = false;            // the tensor holds the ids themselves
  };
  // Null of a tensor that has nothing to do with a table.
  const Rows* of(TensorId tensor) const;

 private:
  void lookUp(const Journal& journal, EventId op, EventId last);

  std::map<TensorId, std::shared_ptr<const Rows>> rows_;
};

}  // namespace shardlens
