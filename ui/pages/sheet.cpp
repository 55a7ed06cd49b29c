#include "ui/pages/sheet.h"

#include "ui/scenes/zoom.h"
#include "ui/widgets/return_key.h"

#include <QScreen>
#include <QScrollArea>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>

namespace shardlens {
namespace {

// Lets the scroll area compress the content to its minimum height before it scrolls. With a height
// for the width, as word-wrapped labels have, a scroll area takes the preferred height.
struct ContentLayout final : QVBoxLayout {
  using QVBoxLayout::QVBoxLayout;
  bool hasHeightForWidth() const override { return false; }
};

}  // namespace

// Qt::Tool: while a tool window is active, the shortcuts of its parent work.
Sheet::Sheet(const QString& name, const QString& title, QWidget* window)
    : QWidget(window, Qt::Tool), scrolling_(new QScrollArea) {
  setObjectName(name);
  setWindowTitle(title);
  auto* scrolled = new QWidget;
  content_ = new ContentLayout(scrolled);
  scrolling_->setWidget(scrolled);
  scrolling_->setWidgetResizable(true);
  scrolling_->setFrameShape(QFrame::NoFrame);
  scrolling_->setFocusPolicy(Qt::NoFocus);
  auto* whole = new QVBoxLayout(this);
  whole->setContentsMargins(0, 0, 0, 0);
  whole->addWidget(scrolling_);
}

QSize Sheet::sizeHint() const {
  const QSize scrollBar(style()->pixelMetric(QStyle::PM_ScrollBarExtent), 0);
  const QSize usual(zoomed(usual_.width()), zoomed(usual_.height()));
  return usual.expandedTo(content_->sizeHint() + scrollBar);
}

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
  QRect place(QPoint(), sizeHint().boundedTo(most));
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
