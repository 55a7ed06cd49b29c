#pragma once

#include "core/trace/journal/journal.h"

#include <vector>

namespace shardlens {

// Returns true if the merged event `id` may consist of different calls. The merge joins the calls
// of a line in their order: if a rank calls the line once more, the merge cannot know which of its
// calls is the additional one. Then the step has an event of the same line and the same enclosing
// event that some of `ranks` recorded and another one did not, although it continued. The events
// that enclose `id` are examined likewise. Reads the events of the step.
bool isUncertainJoin(const Journal& journal, EventId id, const std::vector<int>& ranks);

}  // namespace shardlens
