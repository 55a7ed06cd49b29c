#pragma once

#include "core/plan/planner.h"

#include <ATen/core/Tensor.h>

#include <random>
#include <string>
#include <vector>

namespace shardlens {

// A redistribution to test: mesh, tensor, source and target placements, and planner. As a line:
// "2x3 | 7,4 | float32 | S(0),R | R,P(sum) | min-cost".
struct RedistributeCase {
  std::vector<int> mesh;
  Shape shape;
  at::ScalarType dtype = at::kFloat;
  Placements from;
  Placements to;
  PlannerKind planner = PlannerKind::MinCost;
};

// Converts a case to a line and back. parseCase() requires a valid line.
std::string toText(const RedistributeCase& each);
RedistributeCase parseCase(const std::string& line);

// Generates random cases: meshes of one to five dimensions and up to 24 ranks; tensors of up to
// three dimensions, also uneven and empty ones; and all combinations of placements that are valid.
class CaseGenerator {
 public:
  explicit CaseGenerator(unsigned seed) : random_(seed) {}
  RedistributeCase next();

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  template <class T>
  const T& oneOf(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
  }
  std::vector<int> mesh();
  Shape shape();
  Placement cut(int tensorDims);
  Placement wholeOrCut(int tensorDims);

  std::mt19937 random_;
};

}  // namespace shardlens
