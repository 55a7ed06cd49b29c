#pragma once

#include "ui/scenes/tensor_slice.h"

#include <QRectF>
#include <QSize>
#include <optional>

class QKeyEvent;

namespace shardlens {

// The row and column of a cell in a slice.
struct SliceCell {
  std::int64_t row = 0;
  std::int64_t column = 0;
  bool operator==(const SliceCell&) const = default;
};

// The positions of a slice's cells in a rectangle: headings at the left and at the top, then the
// cells from `first` on.
struct SliceGrid {
  std::int64_t rows = 0, columns = 0;
  double left = 0, top = 0;      // width and height of the headings
  double width = 1, height = 1;  // of a cell
  QSizeF room;                   // for cells
  SliceCell first;               // the cell at the top left

  // Return the number of visible rows and columns, including partly visible ones (Seen), and the
  // number that fits completely, at least 1 (whole).
  std::int64_t rowsSeen() const;
  std::int64_t columnsSeen() const;
  std::int64_t wholeRows() const;
  std::int64_t wholeColumns() const;

  QRectF area() const { return {QPointF(left, top), room}; }
  QRectF rectOf(const SliceCell& cell) const;
  // Returns the rectangle of all visible cells.
  QRectF seenRect() const;
  std::optional<SliceCell> cellAt(QPointF place) const;  // nullopt beside the cells
  // Returns the cell that an arrow key, Page Up, Page Down, Home or End moves to; with Ctrl, Home
  // and End move to the corners. The cell may be outside the slice. nullopt for other keys.
  std::optional<SliceCell> reachedBy(const QKeyEvent& key, const SliceCell& from) const;
};

}  // namespace shardlens
