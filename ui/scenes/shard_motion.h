#pragma once

#include "ui/scenes/shards_scene.h"

#include <vector>

namespace shardlens {

// A cell on its way from where its element was to where it is.
struct CellTravel {
  QRectF from, to;
  QColor fill;
};

// How the cells of one scene come from those of another, of the same tensor before a step or after
// it. Terms that were reduced come from all ranks that had one, and merge; of copies, the nearest
// is taken. Nothing moves where cells stand for several elements or are many.
struct ShardMotion {
  static constexpr std::size_t kMostCells = 2000;

  std::vector<CellTravel> travels;
  std::vector<std::vector<bool>> moved;  // of each card and cell of the new scene: whether it does
  bool isEmpty() const { return travels.empty(); }
};
ShardMotion motionBetween(const TensorView& before, const ShardsScene& from,
                          const TensorView& after, const ShardsScene& to);

// Whether both are the same tensor, or one is what the other was redistributed into.
bool isSameData(const Journal& journal, const Snapshot& before, TensorId one, const Snapshot& after,
                TensorId other);

}  // namespace shardlens
