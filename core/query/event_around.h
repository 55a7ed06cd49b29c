#pragma once

#include "core/trace/journal/journal.h"

namespace shardlens {

// The nearest event of a kind around this one, or itself; 0 where there is none.
inline EventId aroundOf(const Journal& journal, EventId id, EventKind kind) {
  while (id != 0) {
    const Event event = journal.at(id);
    if (event.kind == kind) break;
    id = event.parent;
  }
  return id;
}

}  // namespace shardlens
