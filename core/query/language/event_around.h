#pragma once

#include "core/base/wrapped_sum.h"
#include "core/trace/journal/journal.h"
#include "core/trace/journal/span_children.h"

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

// Returns the bytes that the collectives inside of an event send.
inline std::int64_t bytesInside(const Journal& journal, EventId id) {
  std::int64_t bytes = 0;
  for (const EventId inner : insideOf(journal, id, journal.size())) {
    const Event event = journal.at(inner);
    if (event.kind == EventKind::Collective) increase(bytes, event.bytes);
  }
  return bytes;
}

}  // namespace shardlens
