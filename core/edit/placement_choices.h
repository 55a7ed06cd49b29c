#pragma once

#include "core/base/result.h"
#include "core/model/placement.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// The ways in which a tensor can lie on a mesh: R, S(0) ... S(n - 1) or P(sum) on each mesh
// dimension. The last mesh dimension changes fastest.
class PlacementChoices {
 public:
  static constexpr std::size_t kMost = 100'000;

  PlacementChoices(int meshDims, int tensorDims);

  // More than kMost count as so many and one.
  std::size_t size() const { return size_; }
  Placements operator[](std::size_t place) const;

 private:
  std::vector<Placement> each_;  // on one mesh dimension
  std::size_t meshDims_;
  std::size_t size_ = 1;
};

// A program in which a tensor lies otherwise.
struct PlacedProgram {
  std::string text;
  int step = 0;        // that says so, from 0
  std::string tensor;  // what the tensor is called where it lies so
};

// The scenario's text with a result of one of its steps ("w", "m.0") placed so from where it is
// made on: a `tensor` or `redistribute` step has other placements; what another step gives is
// redistributed behind it, and the steps after that take what comes of it. Refuses a name that no
// step has; of several of that name the last step counts.
Result<PlacedProgram> withPlacements(const std::string& text, std::string_view tensor,
                                     const Placements& placements);

}  // namespace shardlens
