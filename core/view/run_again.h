#pragma once

#include "core/trace/journal/journal.h"

#include <string>

namespace shardlens::view {

// Why the program of a recording cannot be run here again, as changing it, what-if and comparing a
// cache's answer do. Empty where it can: it is a scenario.
std::string whyNotRunAgain(const Journal& journal);

}  // namespace shardlens::view
