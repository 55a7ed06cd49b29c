#pragma once

#include "core/model/placement.h"

#include <string>
#include <vector>

namespace shardlens {

// The groups of a collective. Each rank of the communicator is in exactly one group; the order of
// its members is significant.
struct GroupSet {
  std::string axis;  // names of the mesh dimensions, for display
  int meshDim = 0;   // -1 if the groups span several
  std::vector<std::vector<int>> groups;

  bool operator==(const GroupSet&) const = default;
};

// How a collective combines partial values. `factor` multiplies each of them for PremulSum.
struct Reduction {
  ReduceOp op = ReduceOp::Sum;
  double factor = 1.0;
};

}  // namespace shardlens
