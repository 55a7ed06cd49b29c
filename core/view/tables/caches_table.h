#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"
#include "core/view/tables/table.h"
#include "core/view/words/placement_words.h"

namespace shardlens::view {

// A table of the entries of the strategy cache, then the plan cache, in order of creation. Misses
// counts the misses of the key up to the entry's creation, Size the entries at that time. First and
// LastUse are the events of the first and the last lookup of the entry. A row's
// event is the last lookup of the entry; it is marked if that is the current event. Keeps a
// reference to the journal.
struct CachesTable {
  enum Column { Table, Key, Hits, Misses, Size, First, LastUse, Last };
};
Table cachesTable(const Journal& journal, const Snapshot& snapshot,
                  Notation notation = Notation::DTensor);

}  // namespace shardlens::view
