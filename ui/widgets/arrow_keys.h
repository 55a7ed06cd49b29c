#pragma once

#include <QtCore/qnamespace.h>

#include <QPoint>
#include <optional>

namespace shardlens {

// Returns the direction of an arrow key, (1, 0) for right, or nullopt for other keys.
inline std::optional<QPoint> sideOf(int key) {
  switch (key) {
    case Qt::Key_Left:
      return QPoint(-1, 0);
    case Qt::Key_Right:
      return QPoint(1, 0);
    case Qt::Key_Up:
      return QPoint(0, -1);
    case Qt::Key_Down:
      return QPoint(0, 1);
    default:
      return std::nullopt;
  }
}

}  // namespace shardlens
