#pragma once

#include "core/model/placement.h"

#include <string>
#include <vector>

namespace shardlens {

// Who takes part in a collective: every rank of the communicator is in exactly one group, its
// members in order.
struct GroupSet {
  std::string axis;  // for people: the names of the mesh dimensions
  int meshDim = 0;   // -1 where a group spans several
  std::vector<std::vector<int>> groups;
};

// What becomes of the terms; the factor multiplies each term of a premul_sum.
struct Reduction {
  ReduceOp op = ReduceOp::Sum;
  double factor = 1.0;
};

}  // namespace shardlens
