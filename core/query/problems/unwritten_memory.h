#pragma once

#include "core/trace/journal/journal.h"

namespace shardlens {

// Returns true if the event is the result of an operator or of a factory, as
// distributed.tensor.empty(), that returns memory to which nothing is written yet.
bool allocates(const Journal& journal, EventId id);
// Returns true if the event is the result of an operator that returns the memory of its input.
bool isOfMemoryView(const Journal& journal, EventId id);

}  // namespace shardlens
