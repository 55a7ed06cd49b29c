#include "ui/shell/side_by_side.h"

#include <QScreen>
#include <QWidget>

namespace shardlens {

SideBySide sideBySide(const QRect& room, QSize smallest) {
  const bool isWide = room.width() >= 2 * smallest.width();
  const bool isHigh = room.height() >= 2 * smallest.height();
  const QSize half = !isWide && isHigh ? QSize(room.width(), room.height() / 2)
                                       : QSize(room.width() / 2, room.height());
  const QSize each = half.expandedTo(smallest.boundedTo(room.size()));
  QRect second(QPoint(), each);
  second.moveBottomRight(room.bottomRight());
  return {QRect(room.topLeft(), each), second};
}

void putSideBySide(QWidget& first, QWidget& second) {
  first.setWindowState(first.windowState() & ~(Qt::WindowMaximized | Qt::WindowFullScreen));
  const QMargins frame(first.geometry().left() - first.frameGeometry().left(),
                       first.geometry().top() - first.frameGeometry().top(),
                       first.frameGeometry().right() - first.geometry().right(),
                       first.frameGeometry().bottom() - first.geometry().bottom());
  const auto places =
      sideBySide(first.screen()->availableGeometry(), first.minimumSize().grownBy(frame));
  first.setGeometry(places.first.marginsRemoved(frame));
  second.setGeometry(places.second.marginsRemoved(frame));
}

}  // namespace shardlens
