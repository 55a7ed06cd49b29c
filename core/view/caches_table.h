#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"
#include "core/view/table.h"

namespace shardlens::view {

// The entries of the strategy cache and the plan cache, in the order they came, each with what its
// last look-up came to, how often its key had been missed when it was made, and how many entries
// the cache had then. A row's event is that look-up; it is marked where that is the current one.
// The journal must outlive the table.
struct CachesTable {
  enum Column { Table, Key, Hits, Misses, Size, Last };
};
Table cachesTable(const Journal& journal, const Snapshot& snapshot);

}  // namespace shardlens::view
