#pragma once

#include "core/base/result.h"
#include "core/model/rank_ranges.h"
#include "core/trace/journal/journal.h"
#include "core/view/words/placement_words.h"

#include <iosfwd>
#include <vector>

namespace shardlens {

// Writes the recording to `out` as JSON in the Trace Event format, which Perfetto and
// chrome://tracing open. Each rank is a process with two threads, program and collectives.
// An event is written once per hosted rank that took part, with the times of that rank's process.
// For a dry run only the first rank is written, because all ranks do the same. Streams: memory use
// does not grow with the recording. Returns an error if the recording has no times.
// Writes only the lanes of `ranks`; all lanes if `ranks` is empty.
Result<void> writeChromeTrace(const Journal& journal, std::ostream& out,
                              view::Notation notation = view::Notation::DTensor,
                              const std::vector<RankRange>& ranks = {});

}  // namespace shardlens
