#pragma once

#include "ui/scenes/tensor_slice.h"

#include <QRectF>
#include <QSize>
#include <optional>

class QKeyEvent;

namespace shardlens {

// A cell of a slice, by its place in it.
struct SliceCell {
  std::int64_t row = 0;
  std::int64_t column = 0;
  bool operator==(const SliceCell&) const = default;
};

// Where the cells of a slice stand in a room: headings at the left and above, then as many cells as
// there is room for, from the first that is shown.
struct SliceGrid {
  std::int64_t rows = 0, columns = 0;
  double left = 0, top = 0;      // of the headings
  double width = 1, height = 1;  // of a cell
  QSizeF room;                   // for cells
  SliceCell first;

  // How many are seen, of the last ones perhaps a part; and how many of them whole.
  std::int64_t rowsSeen() const;
  std::int64_t columnsSeen() const;
  std::int64_t wholeRows() const;
  std::int64_t wholeColumns() const;

  QRectF area() const { return {QPointF(left, top), room}; }
  QRectF rectOf(const SliceCell& cell) const;
  // Where the cells that are seen stand together.
  QRectF seenRect() const;
  std::optional<SliceCell> cellAt(QPointF place) const;
  // Where arrows, pages, Home and End lead from a cell, with Ctrl to the corners; it may be beyond
  // the slice. None for other keys.
  std::optional<SliceCell> reachedBy(const QKeyEvent& key, const SliceCell& from) const;
};

}  // namespace shardlens
