#pragma once

#include "core/trace/journal/journal.h"

#include <string>

namespace shardlens::view {

// The shape of each rank's part: "[3, 3] on each rank", or "[3, 3] on 0-2, [1, 3] on 3". What was
// captured says it; where nothing was, the placements do. Empty where neither can.
std::string localShapesText(const Journal& journal, TensorId tensor);

}  // namespace shardlens::view
