#pragma once

#include "core/model/spec.h"

#include <vector>

namespace shardlens {

// The dimension of logits that counts classes.
inline std::int64_t classDimOf(std::int64_t ndim) { return ndim > 1 ? 1 : 0; }

// [N, C, d...] -> [N, d...]
Shape withoutClasses(Shape logits);

// How a loss lies on the mesh: as its logits do.
struct LossLayout {
  explicit LossLayout(const Spec& logits);

  Placements logits;   // terms are made whole
  Placements rows;     // the logits' without their classes: of the target, and the loss of each row
  Placements reduced;  // a term on each rank of a mesh dimension that cuts rows
  // The mesh dimensions, of more than one rank, that cut classes and rows.
  std::vector<int> cutClasses;
  std::vector<int> cutRows;
};

}  // namespace shardlens
