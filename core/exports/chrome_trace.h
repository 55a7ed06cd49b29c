#pragma once

#include "core/base/result.h"
#include "core/trace/journal/journal.h"

#include <iosfwd>

namespace shardlens {

// Writes a recording as JSON of the Trace Event format, which Perfetto and chrome://tracing open: a
// process a rank, its collectives in a lane of their own. An event stands with every rank that had
// it, at the time that this rank's process had it; of a dry run, where all ranks do the same, with
// the first one only. Nothing is kept of what is written. Refuses a recording without times.
Result<void> writeChromeTrace(const Journal& journal, std::ostream& out);

}  // namespace shardlens
