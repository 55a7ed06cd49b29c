#pragma once

#include "core/model/mesh.h"
#include "ui/scenes/magnifier.h"

#include <QPoint>
#include <QRectF>
#include <QSizeF>
#include <limits>
#include <vector>

namespace shardlens {

// In how many columns so many things stand of which `fitting` fit side by side: all if they do,
// else such that the rows are equally long, if that uses more than half of the room.
int wrappedColumns(int count, int fitting);
// In how many columns so many squares are all in the area, as large as they can be, and not smaller
// than this: as above, or else as many as fit in.
int columnsOfAll(int count, QSizeF area, double smallest);

// Where the boxes of a mesh's ranks stand: the last axis runs across, the one before down, the one
// before that across again over blocks, so that any mesh is a matrix of matrices. An axis that is
// alone wraps instead of running out of the area. Boxes shrink to the room there is until a number
// just fits in; then the grid is larger than its area. Magnified it is as much larger; at
// Magnifier::kAll boxes shrink to dots until all are in the area. No two ever overlap. It asks for
// the boxes that can be seen, so that a mesh of millions costs what a small one does.
class MeshGrid {
 public:
  MeshGrid() = default;
  MeshGrid(const DeviceMesh& mesh, QSizeF area, double magnified = 1);

  QSizeF size() const { return size_; }
  QSizeF box() const { return box_; }
  QSizeF gap() const { return gap_; }  // between neighbours
  QRectF boxOf(int place) const;       // by its number in the order of the mesh
  // Whose boxes meet it, ascending; of more than `most` some of them, still more than that.
  std::vector<int> placesIn(const QRectF& rect,
                            std::size_t most = std::numeric_limits<std::size_t>::max()) const;
  // The next one to a side: (1, 0) is to the right. At the end of a row the first of the next row,
  // as numbers go on; where there is none, itself.
  int neighbour(int place, QPoint side) const;

 private:
  // One axis, from the innermost on. A place's coordinate on it is place / stride % count.
  struct Level {
    int count = 1;
    int stride = 1;
    bool across = true;
    double step = 0;    // from one coordinate to the next
    double extent = 0;  // of what stands at one coordinate
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
