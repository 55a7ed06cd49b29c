#pragma once

#include "core/trace/journal/journal.h"

#include <string>
#include <vector>

namespace shardlens {

// Returns the redistribution that an event is inside of, else the operator; 0 if neither.
EventId makerOf(const Journal& journal, EventId id);
// Returns the inputs of the operator or redistribution that an event is inside of.
std::vector<TensorId> inputsOf(const Journal& journal, EventId id);

// Returns which events wrote a tensor last, for the advice about a result whose values `odd` and
// `usual` differ. If the two ranks wrote the result or an input in different events, returns both:
// "; w was last written by event 30 (train.py:22, step 2) on rank 0, by event 5 (train.py:9, step
// 1) on rank 1". Else, returns the last write of each input, because a plain tensor may have
// written to it since. "" if none is known.
std::string lastWritesText(const Journal& journal, EventId id, const ValueRecord& odd,
                           const ValueRecord& usual);

}  // namespace shardlens
