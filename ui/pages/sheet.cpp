#include "ui/pages/sheet.h"

#include "ui/widgets/return_key.h"

namespace shardlens {

// While a tool window is the active one, Qt lets the shortcuts of its parent work.
Sheet::Sheet(const QString& name, const QString& title, QWidget* window)
    : QWidget(window, Qt::Tool) {
  setObjectName(name);
  setWindowTitle(title);
}

// At the right of the window, beside what it explains.
void Sheet::toggle() {
  if (isVisible()) {
    hide();
    return;
  }
  constexpr int kBelowTheTop = 56;
  adjustSize();
  const QWidget* window = parentWidget();
  move(window->mapToGlobal(QPoint(window->width() - width() - 16, kBelowTheTop)));
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
