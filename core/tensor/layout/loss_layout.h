#pragma once

#include "core/model/spec.h"

#include <vector>

namespace shardlens {

// Returns the class dimension of logits with `ndim` dimensions: 1, or 0 for a single row.
inline std::int64_t classDimOf(std::int64_t ndim) { return ndim > 1 ? 1 : 0; }

// Removes the class dimension: [N, C, d...] -> [N, d...]. Requires at least one dimension.
Shape withoutClasses(Shape logits);

// The placements of a loss and its operands, derived from the placements of the logits.
struct LossLayout {
  explicit LossLayout(const Spec& logits);

  Placements logits;  // the logits' placements, with Replicate for Partial
  // Placements of the target and of the loss per row: `logits` without the class dimension.
  Placements rows;
  // Placements of a summed loss: Partial along mesh dimensions that shard rows, else Replicate.
  Placements reduced;
  // The mesh dimensions of size > 1 that shard classes, and those that shard rows.
  std::vector<int> cutClasses;
  std::vector<int> cutRows;
};

}  // namespace shardlens
