#pragma once

#include "core/model/placement.h"

#include <vector>

namespace shardlens {

// One step of a redistribution: the placement of one mesh dimension changes.
struct TransformInfo {
  int meshDim = 0;
  Placement from;
  Placement to;
  bool operator==(const TransformInfo&) const = default;
};

using Plan = std::vector<TransformInfo>;

}  // namespace shardlens
