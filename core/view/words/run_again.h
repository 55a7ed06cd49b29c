#pragma once

#include "core/trace/journal/journal.h"

#include <string>

namespace shardlens::view {

// Returns why the recorded program cannot be rerun here, as editing, what-if and cache verification
// need; "" if it can, because it is a scenario.
std::string whyNotRunAgain(const Journal& journal);

}  // namespace shardlens::view
