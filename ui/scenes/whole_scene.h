#pragma once

#include "ui/scenes/assembled.h"

#include <QColor>
#include <QRectF>
#include <QString>
#include <vector>

namespace shardlens {

// How the elements of a whole are laid on rows and columns: the last dimension runs along a row, a
// vector stands upright.
struct Grid {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
};
Grid gridOf(const Shape& shape);

struct WholeCell {
  QRectF rect;
  QColor fill;
  QString text;
  bool odd = false;  // not a number, or infinite
};

// The reassembled tensor, row after row along a line that wraps. Of more rows and columns than
// there is room for, the first are shown and `left` counts the others.
struct WholeScene {
  QSizeF size;
  std::vector<WholeCell> cells;
  std::vector<std::pair<QRectF, QString>> labels;  // under each row
  QString left;                                    // "and 502 more rows, 3 more columns"
  QRectF leftRect;
};

WholeScene layoutWhole(const TensorView& view, const Assembled& whole, QSizeF area, bool dark);

}  // namespace shardlens
