#pragma once

#include "core/trace/journal/journal.h"

namespace shardlens {

// Returns a journal without events, used while no document is open. It lives as long as the
// process, and each call returns the same one.
inline const Journal& emptyJournal() {
  static const Journal journal;
  return journal;
}

}  // namespace shardlens
