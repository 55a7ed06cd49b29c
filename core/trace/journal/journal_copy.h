#pragma once

#include "core/model/rank_ranges.h"
#include "core/trace/journal/capture.h"
#include "core/trace/journal/journal.h"

#include <vector>

namespace shardlens {

// What of a recording is copied.
struct CopiedPart {
  std::vector<RankRange> steps = {};  // of the scenario, from 0; all where it does not say
  Capture values = CaptureLevel::All;
};

// Tells the sink a part of a journal, as a recording of its own: the events of these steps, and of
// those before the ones that they name: the newest result of each tensor, the holds on masks, what
// made a cache entry, with the step and operator that each is inside of. Numbers of steps, lines
// and buffers stay what they are; bookmarks go with their events. The times that several processes
// had of an event become one.
void copyJournal(const Journal& journal, const CopiedPart& part, EventSink& sink);

}  // namespace shardlens
