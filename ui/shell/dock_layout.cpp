#include "ui/shell/dock_layout.h"

#include "ui/panels/panel.h"
#include "ui/shell/dock_buttons.h"

#include <QDataStream>
#include <QEvent>
#include <QIODevice>
#include <QLayout>
#include <QTabBar>
#include <algorithm>

namespace shardlens {
namespace {

constexpr int kVersion = 2;

// Below these the docks at the bottom share a place, and those at the right; then all of them.
constexpr int kRoomy = 1600;
constexpr int kNarrow = 1180;

// Qt keeps a dock that is a tab behind another out of sight.
bool isSeen(const QDockWidget& dock) {
  return !dock.isFloating() && !dock.isHidden() && dock.geometry().right() >= 0;
}

// What a dock takes of the window: where it is a tab, the tabs above it too.
QSize roomOf(QDockWidget* dock, const QMainWindow& window) {
  int tabs = 0;
  if (!window.tabifiedDockWidgets(dock).isEmpty()) {
    for (const auto* bar : window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
      tabs = std::max(tabs, bar->isVisible() ? bar->height() : 0);
    }
  }
  return dock->size() + QSize(0, tabs);
}

// Qt keeps a bar for tabs that are no more, and may leave it where a panel is now.
void hideEmptyBars(const QMainWindow& window) {
  for (auto* bar : window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
    if (bar->count() == 0) {
      bar->hide();
    }
  }
}

}  // namespace

DockLayout::DockLayout(QMainWindow& window) : window_(window) { window_.installEventFilter(this); }

QDockWidget* DockLayout::add(Panel* panel, Place where) {
  auto* dock = new QDockWidget(panel->title(), &window_);
  dock->setObjectName(panel->objectName() + QStringLiteral("Dock"));
  dock->setAccessibleName(panel->title());
  panel->header()->addControl(new DockButtons(dock));
  dock->setTitleBarWidget(panel->header());
  dock->setWidget(panel);
  docks_.push_back(dock);
  places_.push_back(where);
  window_.addDockWidget(Qt::LeftDockWidgetArea, dock);
  const auto moved = [this] {
    if (!arranging_) {
      QMetaObject::invokeMethod(this, &DockLayout::remember, Qt::QueuedConnection);
    }
  };
  connect(dock, &QDockWidget::dockLocationChanged, this, moved);
  connect(dock, &QDockWidget::topLevelChanged, this, moved);
  return dock;
}

QDockWidget* DockLayout::at(Place where) const {
  return docks_[static_cast<std::size_t>(std::find(places_.begin(), places_.end(), where) -
                                         places_.begin())];
}

void DockLayout::tabify(Place front, std::initializer_list<Place> behind) {
  QDockWidget* last = at(front);
  for (const Place place : behind) {
    window_.tabifyDockWidget(last, at(place));
    last = at(place);
  }
  at(front)->raise();
}

void DockLayout::reset() {
  arranging_ = true;
  for (std::size_t i = 0; i < docks_.size(); ++i) {
    docks_[i]->setFloating(false);
    window_.removeDockWidget(docks_[i]);
    const Place place = places_[i];
    const bool left = place == Place::LeftTop || place == Place::LeftBottom;
    const bool bottom = place == Place::BottomLeft || place == Place::BottomRight;
    window_.addDockWidget(left     ? Qt::LeftDockWidgetArea
                          : bottom ? Qt::BottomDockWidgetArea
                                   : Qt::RightDockWidgetArea,
                          docks_[i], bottom ? Qt::Horizontal : Qt::Vertical);
    docks_[i]->show();
  }
  const int width = window_.width();
  const int height = window_.height();
  const bool narrow = width < kNarrow;
  if (narrow) {
    tabify(Place::BottomLeft,
           {Place::BottomRight, Place::RightTop, Place::RightMiddle, Place::RightBottom});
    at(Place::RightMiddle)->raise();
  } else if (width < kRoomy) {
    tabify(Place::BottomLeft, {Place::BottomRight});
    tabify(Place::RightMiddle, {Place::RightBottom});
  }
  const int left = std::clamp(width * 26 / 100, 260, 430);
  window_.resizeDocks({at(Place::LeftTop)}, {left}, Qt::Horizontal);
  window_.resizeDocks({at(Place::LeftTop), at(Place::LeftBottom)},
                      {height * 30 / 100, height * 70 / 100}, Qt::Vertical);
  if (!narrow) {
    const int right = std::clamp(width * 29 / 100, 290, 480);
    window_.resizeDocks({at(Place::RightTop)}, {right}, Qt::Horizontal);
    window_.resizeDocks({at(Place::RightTop), at(Place::RightMiddle), at(Place::RightBottom)},
                        {height * 30 / 100, height * 40 / 100, height * 30 / 100}, Qt::Vertical);
  }
  window_.resizeDocks({at(Place::BottomLeft), at(Place::BottomRight)}, {width / 4, width / 4},
                      Qt::Horizontal);
  window_.resizeDocks({at(Place::BottomLeft)}, {height * 36 / 100}, Qt::Vertical);
  remember();
  arranging_ = false;
}

void DockLayout::remember() {
  window_.layout()->activate();
  hideEmptyBars(window_);
  whole_ = window_.size();
  sizes_.clear();
  for (QDockWidget* dock : docks_) {
    if (isSeen(*dock)) {
      sizes_[dock->objectName()] = roomOf(dock, window_);
    }
  }
}

void DockLayout::scale() {
  QList<QDockWidget*> docks;
  QList<int> widths;
  QList<int> heights;
  for (QDockWidget* dock : docks_) {
    const auto size = sizes_.find(dock->objectName());
    if (size == sizes_.end() || dock->isFloating() || dock->isHidden()) {
      continue;
    }
    docks << dock;
    widths << std::max(1, size->second.width() * window_.width() / whole_.width());
    heights << std::max(1, size->second.height() * window_.height() / whole_.height());
  }
  window_.resizeDocks(docks, widths, Qt::Horizontal);
  window_.resizeDocks(docks, heights, Qt::Vertical);
  window_.layout()->activate();
  hideEmptyBars(window_);
}

// The window's layout has had the event before. A button is released where a separator was dragged.
bool DockLayout::eventFilter(QObject* watched, QEvent* event) {
  if (!whole_.isEmpty() && event->type() == QEvent::Resize) {
    scale();
  } else if (!whole_.isEmpty() && event->type() == QEvent::MouseButtonRelease) {
    QMetaObject::invokeMethod(this, &DockLayout::remember, Qt::QueuedConnection);
  }
  return QObject::eventFilter(watched, event);
}

QByteArray DockLayout::save() const {
  QByteArray saved;
  QDataStream stream(&saved, QIODevice::WriteOnly);
  stream << window_.saveState(kVersion) << whole_ << QMap<QString, QSize>(sizes_);
  return saved;
}

void DockLayout::restore(const QByteArray& saved) {
  QDataStream stream(saved);
  QByteArray state;
  QSize whole;
  QMap<QString, QSize> sizes;
  stream >> state >> whole >> sizes;
  arranging_ = true;
  const bool restored = stream.status() == QDataStream::Ok && !whole.isEmpty() &&
                        window_.restoreState(state, kVersion);
  arranging_ = false;
  if (!restored) {
    return;
  }
  whole_ = whole;
  sizes_ = sizes.toStdMap();
  scale();
}

}  // namespace shardlens
