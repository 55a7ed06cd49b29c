#pragma once

#include "ui/scenes/assembled.h"

#include <QColor>
#include <QRectF>
#include <QString>
#include <vector>

namespace shardlens {

// The rows and columns in which a whole tensor is shown. The last dimension runs along a row; a
// vector is one column.
struct Grid {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
};
// Returns one row and column for a scalar. Counts may be 0.
Grid gridOf(const Shape& shape);

struct WholeCell {
  QRectF rect;
  QColor fill;
  QString text;
  bool odd = false;  // NaN or infinite
};

// The layout of the assembled tensor: rows follow one another on a line that wraps. If not all fit,
// the first rows and columns are shown, and `left` states the number of the others.
struct WholeScene {
  QSizeF size;
  std::vector<WholeCell> cells;
  std::vector<std::pair<QRectF, QString>> labels;  // under each row
  QString left;                                    // "and 502 more rows, 3 more columns"
  QRectF leftRect;
};

// Returns an empty scene if the tensor could not be assembled or the area is empty.
WholeScene layoutWhole(const TensorView& view, const Assembled& whole, QSizeF area, bool dark);

}  // namespace shardlens
