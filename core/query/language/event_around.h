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

// Returns the bytes that the collectives inside of an event send. They follow it.
inline std::int64_t bytesInside(const Journal& journal, EventId id) {
  std::int64_t bytes = 0;
  for (EventId inner = id + 1; inner <= journal.size(); ++inner) {
    const Event event = journal.at(inner);
    if (event.parent < id) break;
    if (event.kind == EventKind::Collective) bytes += event.bytes;
  }
  return bytes;
}

}  // namespace shardlens
