#pragma once

#include "core/trace/journal/journal.h"

#include <optional>

namespace shardlens::view {

// A rank of a run whose recording ends while other ranks go on.
struct EarlyEnd {
  std::int64_t time = 0;  // end of its last event, in ns on its clock
  EventId error = 0;      // its last event if it is an Error; else 0
  EventId missed = 0;     // the first collective that it should have called afterwards
};
// Returns nullopt for other ranks, and for a run without errors, because a recording may be closed
// early. Also for imported recordings, whose dumps end at different times.
std::optional<EarlyEnd> earlyEndOf(const Journal& journal, int rank);

// "raised ValueError: 7 rows, expected 8; did not call all_reduce over tp", "ended; did not ..."
std::string earlyEndText(const Journal& journal, const EarlyEnd& end);

}  // namespace shardlens::view
