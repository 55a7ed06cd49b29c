#pragma once

#include "core/trace/journal/journal.h"

namespace shardlens {

// A journal without events, for when nothing is open.
inline const Journal& emptyJournal() {
  static const Journal journal;
  return journal;
}

}  // namespace shardlens
