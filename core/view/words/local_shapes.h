#pragma once

#include "core/trace/journal/journal.h"

#include <string>

namespace shardlens::view {

// Returns the local shapes of a tensor: "[3, 3] on each rank", or "[3, 3] on 0-2, [1, 3] on 3".
// Uses captured values, else computes the shapes from the placements. "" if neither is known.
std::string localShapesText(const Journal& journal, TensorId tensor);

}  // namespace shardlens::view
