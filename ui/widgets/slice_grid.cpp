#include "ui/widgets/slice_grid.h"

#include <QKeyEvent>
#include <algorithm>
#include <cmath>

namespace shardlens {
namespace {

constexpr double kNearly = 1e-6;  // tolerance for rounding errors

std::int64_t seen(double room, double size, std::int64_t left) {
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(room / size - kNearly)), 0,
                                  left);
}

std::int64_t whole(double room, double size, std::int64_t all) {
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(room / size + kNearly)), 1,
                                  std::max<std::int64_t>(all, 1));
}

}  // namespace

std::int64_t SliceGrid::rowsSeen() const { return seen(room.height(), height, rows - first.row); }
std::int64_t SliceGrid::columnsSeen() const {
  return seen(room.width(), width, columns - first.column);
}
std::int64_t SliceGrid::wholeRows() const { return whole(room.height(), height, rows); }
std::int64_t SliceGrid::wholeColumns() const { return whole(room.width(), width, columns); }

QRectF SliceGrid::rectOf(const SliceCell& cell) const {
  return {left + static_cast<double>(cell.column - first.column) * width,
          top + static_cast<double>(cell.row - first.row) * height, width, height};
}

QRectF SliceGrid::seenRect() const {
  return {left, top, static_cast<double>(columnsSeen()) * width,
          static_cast<double>(rowsSeen()) * height};
}

std::optional<SliceCell> SliceGrid::cellAt(QPointF place) const {
  const SliceCell cell{first.row + static_cast<std::int64_t>((place.y() - top) / height),
                       first.column + static_cast<std::int64_t>((place.x() - left) / width)};
  const bool isInside = area().contains(place) && cell.row < rows && cell.column < columns;
  return isInside ? std::optional(cell) : std::nullopt;
}

std::optional<SliceCell> SliceGrid::reachedBy(const QKeyEvent& key, const SliceCell& from) const {
  const bool all = key.modifiers() & Qt::ControlModifier;
  switch (key.key()) {
    case Qt::Key_Left:
      return SliceCell{from.row, from.column - 1};
    case Qt::Key_Right:
      return SliceCell{from.row, from.column + 1};
    case Qt::Key_Up:
      return SliceCell{from.row - 1, from.column};
    case Qt::Key_Down:
      return SliceCell{from.row + 1, from.column};
    case Qt::Key_PageUp:
      return SliceCell{from.row - wholeRows(), from.column};
    case Qt::Key_PageDown:
      return SliceCell{from.row + wholeRows(), from.column};
    case Qt::Key_Home:
      return SliceCell{all ? 0 : from.row, 0};
    case Qt::Key_End:
      return SliceCell{all ? rows - 1 : from.row, columns - 1};
    default:
      return std::nullopt;
  }
}

}  // namespace shardlens
