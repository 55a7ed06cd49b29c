#pragma once

#include "core/trace/journal/journal.h"

namespace shardlens {

// Returns a static journal without events, used while no document is open.
inline const Journal& emptyJournal() {
  static const Journal journal;
  return journal;
}

}  // namespace shardlens
