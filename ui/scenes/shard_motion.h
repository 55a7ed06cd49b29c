#pragma once

#include "ui/scenes/shards_scene.h"

#include <vector>

namespace shardlens {

// The motion of a cell from the element's previous position to its new one.
struct CellTravel {
  QRectF from, to;
  QColor fill;
};

// The motions of cells between two scenes of a tensor, before and after an event. Partial values
// that were reduced move from all ranks and merge; among copies, the nearest one moves. Empty if
// cells stand for several elements, or there are more than kMostCells cells or motions.
struct ShardMotion {
  static constexpr std::size_t kMostCells = 2000;

  std::vector<CellTravel> travels;
  std::vector<std::vector<bool>> moved;  // per card and cell of the new scene: true if it moves
  bool isEmpty() const { return travels.empty(); }
};
// Both scenes must have their cells. Returns an empty motion if a tensor is missing or the shapes
// differ.
ShardMotion motionBetween(const TensorView& before, const ShardsScene& from,
                          const TensorView& after, const ShardsScene& to);

// Returns true if both are the same tensor, or one was redistributed into the other.
bool isSameData(const Journal& journal, const Snapshot& before, TensorId one, const Snapshot& after,
                TensorId other);

}  // namespace shardlens
