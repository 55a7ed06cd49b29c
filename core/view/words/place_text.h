#pragma once

#include "core/trace/journal/journal.h"

#include <string>

namespace shardlens::view {

// Returns the place in the program that an event belongs to: "train.py:23" in a Python program,
// "line 23" in a scenario; "" if unknown. The path of a file in the program's folder is relative to
// that folder.
std::string placeText(const Journal& journal, const Event& event);

}  // namespace shardlens::view
