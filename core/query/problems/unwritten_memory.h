#pragma once

#include "core/trace/journal/journal.h"

#include <string_view>

namespace shardlens {

// Returns true if the event is the result of an operator or of a factory, as
// distributed.tensor.empty(), that returns memory to which nothing is written yet.
bool allocates(const Journal& journal, EventId id);
// Returns true for operators that return the memory of their input.
bool isMemoryView(std::string_view name);

}  // namespace shardlens
