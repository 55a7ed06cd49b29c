#pragma once

#include "core/trace/journal/journal.h"

namespace shardlens {

// Returns the innermost event of this kind among `id` and its ancestors, or 0.
inline EventId aroundOf(const Journal& journal, EventId id, EventKind kind) {
  while (id != 0) {
    const Event event = journal.at(id);
    if (event.kind == kind) break;
    id = event.parent;
  }
  return id;
}

}  // namespace shardlens
