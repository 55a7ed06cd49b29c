#pragma once

#include "core/model/rank_ranges.h"
#include "core/trace/events/capture.h"
#include "core/trace/journal/journal.h"

#include <vector>

namespace shardlens {

// The part of a recording to copy.
struct CopiedPart {
  std::vector<RankRange> steps = {};   // from 0; empty: all steps
  Capture values = CaptureLevel::All;  // which values, and at most at which level
};

// Emits part of a journal to `sink` as a separate recording with new ids. Copies the events of
// these steps and the earlier events that they depend on: the newest Result of each tensor, holds
// on masks, and the misses (with their answers) behind cache entries. Each event is copied with its
// enclosing spans. Steps, lines and buffer ids keep their numbers. Bookmarks of copied events are
// copied. For a merged journal, copies the merged times only, not the parts of its processes.
// Copies all metadata. Emits each event with its recorded duration, so onEnd() is not called.
// Exceptions of the sink pass to the caller.
void copyJournal(const Journal& journal, const CopiedPart& part, EventSink& sink);

}  // namespace shardlens
