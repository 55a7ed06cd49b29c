#pragma once

#include "ui/scenes/tensor_view.h"

#include <string>
#include <vector>

namespace shardlens {

// The whole tensor, put together from what the ranks hold: pieces beside one another, terms
// reduced, masked rows left out.
struct Assembled {
  Shape shape;
  std::vector<double> values;  // row-major; empty when the recording does not hold them all
  std::vector<std::int64_t> tableRows;  // per element, for a tensor that was looked up; or empty
  bool copiesAgree = true;              // all ranks that hold the same hold the same values
  std::int64_t missing = 0;             // elements that no rank holds
};

inline constexpr std::int64_t kMostAssembled = 1 << 14;

Assembled assemble(const Journal& journal, const Snapshot& snapshot, const TensorView& view);

// Whether ranks that should hold the same do, as far as values were captured.
bool copiesAgree(const TensorView& view, const std::vector<int>& ranks);

// What stands between the terms of a placement: "+", "max"; empty for what is not pending.
std::string termOperator(const Placement& placement);

}  // namespace shardlens
