#include "ui/pages/sheet.h"

#include "ui/widgets/return_key.h"

#include <QScreen>
#include <algorithm>

namespace shardlens {

// Qt::Tool: while a tool window is active, the shortcuts of its parent work.
Sheet::Sheet(const QString& name, const QString& title, QWidget* window)
    : QWidget(window, Qt::Tool) {
  setObjectName(name);
  setWindowTitle(title);
}

// Places the sheet at the right edge of the window, within the screen.
void Sheet::toggle() {
  if (isVisible()) {
    hide();
    return;
  }
  constexpr int kBelowTheTop = 56;
  constexpr int kBeside = 16;
  const QWidget* window = parentWidget();
  const QRect room = window->screen()->availableGeometry();
  const QSize most = room.size() - QSize(2 * kBeside, kBelowTheTop);
  const QSize least = minimumSizeHint().expandedTo(minimumSize());
  QRect place(QPoint(), sizeHint().boundedTo(most).expandedTo(least));
  place.moveTopRight(window->mapToGlobal(QPoint(window->width() - kBeside, kBelowTheTop)));
  place.moveBottom(std::min(place.bottom(), room.bottom()));
  place.moveRight(std::min(place.right(), room.right()));
  place.moveLeft(std::max(place.left(), room.left()));
  setGeometry(place);
  show();
  activateWindow();
}

void Sheet::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) {
    hide();
  } else if (!pressedFocusedButton(*event)) {
    QWidget::keyPressEvent(event);
  }
}

}  // namespace shardlens
