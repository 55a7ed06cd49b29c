#pragma once

#include "core/base/result.h"
#include "core/model/placement.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// All placements of a tensor that combine R, S(0) ... S(tensorDims - 1) or P(sum) per mesh
// dimension. The choice of the last mesh dimension changes fastest.
class PlacementChoices {
 public:
  static constexpr std::size_t kMost = 100'000;

  PlacementChoices(int meshDims, int tensorDims);

  // Returns the number of combinations, or kMost + 1 if there are more than kMost.
  std::size_t size() const { return size_; }
  // Returns combination number `place`, from 0.
  Placements operator[](std::size_t place) const;

 private:
  std::vector<Placement> each_;  // the choices for one mesh dimension
  std::size_t meshDims_;
  std::size_t size_ = 1;
};

// A program that was edited by withPlacements().
struct PlacedProgram {
  std::string text;
  int step = 0;        // index of the step that has the placements, from 0
  std::string tensor;  // name of the tensor that has the placements
};

// Edits a scenario so that a step's result ("w", "m.0") gets these placements as soon as it is
// made. If a `tensor` or `redistribute` step makes it, replaces the placements of that step and
// removes its shard_order. Otherwise inserts a `redistribute` step behind it and makes later steps
// read that step's result; `grad` steps still name the original tensor. If several steps make the
// tensor, the last one counts. Returns an error if the text is not a scenario or no step makes the
// tensor.
Result<PlacedProgram> withPlacements(const std::string& text, std::string_view tensor,
                                     const Placements& placements);

}  // namespace shardlens
