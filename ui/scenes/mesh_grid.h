#pragma once

#include "core/model/mesh.h"
#include "ui/scenes/magnifier.h"

#include <QPoint>
#include <QRectF>
#include <QSizeF>
#include <limits>
#include <vector>

namespace shardlens {

// Returns the number of columns for `count` items if `fitting` of them fit side by side; at most
// `fitting`, which must be at least 1. Prefers rows of equal length if these use more than half of
// the width.
int wrappedColumns(int count, int fitting);
// Returns the number of columns with which `count` squares fit in the area, as large as possible
// but not smaller than `smallest`.
int columnsOfAll(int count, QSizeF area, double smallest);

// The positions of the boxes of a mesh's ranks. The last mesh dimension runs across, the one before
// down, the one before that across again over blocks, and so on: a matrix of matrices. If only one
// dimension is larger than 1, it wraps at the width of the area. Boxes shrink to fit the area, down
// to the size of a rank number; the grid may then be larger than the area. At Magnifier::kAll boxes
// shrink to dots until all fit. Boxes never overlap. The cost of a query depends on its result, not
// on the size of the mesh.
class MeshGrid {
 public:
  MeshGrid() = default;  // no places
  MeshGrid(const DeviceMesh& mesh, QSizeF area, double magnified = 1);

  QSizeF size() const { return size_; }
  QSizeF box() const { return box_; }
  QSizeF gap() const { return gap_; }  // between neighbours
  QRectF boxOf(int place) const;       // `place`: row-major index in the mesh; not checked
  // Returns the places whose boxes intersect `rect`, ascending. Stops early when it has found more
  // than `most`.
  std::vector<int> placesIn(const QRectF& rect,
                            std::size_t most = std::numeric_limits<std::size_t>::max()) const;
  // Returns the next place in a direction; (1, 0) is to the right. At the end of a row this is the
  // place with the next number. Returns `place` if there is none.
  int neighbour(int place, QPoint side) const;

 private:
  // An axis of the grid, innermost first. The coordinate of a place is place / stride % count.
  struct Level {
    int count = 1;
    int stride = 1;
    bool across = true;
    double step = 0;    // from one coordinate to the next
    double extent = 0;  // size of the block at one coordinate
  };
  void addLevel(int count, int stride, bool across);
  void place(QSizeF area, double magnified);
  void collect(std::size_t level, QPointF at, int place, const QRectF& rect, std::size_t most,
               std::vector<int>& found) const;

  int places_ = 0;
  std::vector<Level> levels_;
  QSizeF box_;
  QSizeF gap_;
  QSizeF size_;
};

}  // namespace shardlens
