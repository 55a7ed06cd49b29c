#include "ui/shell/dock_layout.h"

#include "ui/panels/panel.h"
#include "ui/scenes/zoom.h"
#include "ui/shell/dock_buttons.h"

#include <QDataStream>
#include <QEvent>
#include <QIODevice>
#include <QLayout>
#include <QTabBar>
#include <QVBoxLayout>
#include <algorithm>

// Uses QMainWindow's docks, because Debian 12 has no docking library for Qt 6.
namespace shardlens {
namespace {

constexpr int kVersion = 3;

// In a window narrower than kRoomy, the docks at the bottom share a place, and some at the right.
// In one narrower than kNarrow, all of these share one place.
constexpr int kRoomy = 1600;
constexpr int kNarrow = 1180;

// Returns a percentage of the width, limited to a range in which text is readable.
int sideOf(int width, int percent, double narrowest, double widest) {
  const int share = width * percent / 100;
  const int most = width * 2 / 5;  // limit at a large zoom
  return std::min(std::clamp(share, zoomed(narrowest), zoomed(widest)), most);
}

// Qt moves a dock that is a hidden tab outside of the window.
bool isSeen(const QDockWidget& dock) {
  return !dock.isFloating() && !dock.isHidden() && dock.geometry().right() >= 0;
}

// Returns the size of a dock, including its tab bar if it is a tab. tabifiedDockWidgets() also
// contains closed docks.
QSize roomOf(QDockWidget* dock, const QMainWindow& window) {
  int tabs = 0;
  const auto others = window.tabifiedDockWidgets(dock);
  if (std::any_of(others.begin(), others.end(), [](auto* other) { return !other->isHidden(); })) {
    for (const auto* bar : window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
      tabs = std::max(tabs, bar->isVisible() ? bar->height() : 0);
    }
  }
  return dock->size() + QSize(0, tabs);
}

// Hides empty tab bars, because Qt may leave them above a panel.
void hideEmptyBars(const QMainWindow& window) {
  for (auto* bar : window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
    if (bar->count() == 0) {
      bar->hide();
    }
  }
}

}  // namespace

DockLayout::DockLayout(QMainWindow& window) : window_(window) {
  window_.setWindowFlags(Qt::Widget);  // QMainWindow's constructor makes it a window
  window_.setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks);
  window_.setDocumentMode(true);
  window_.setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  window_.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  window_.setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  window_.setContextMenuPolicy(Qt::NoContextMenu);
  window_.installEventFilter(this);
  const auto keepSizes = [this] {
    if (!whole_.isEmpty()) {
      scale();
    }
  };
  connect(&Zoom::now(), &Zoom::changed, this, keepSizes, Qt::QueuedConnection);
}

Panel* DockLayout::add(const PanelEntry& entry, Place place) {
  return place == Place::Middle ? addMiddle(entry) : addDock(entry, place);
}

Panel* DockLayout::addMiddle(const PanelEntry& entry) {
  auto* card = new QWidget(&window_);
  Panel* panel = makePanel(entry, card);
  auto* column = new QVBoxLayout(card);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(panel->header());
  column->addWidget(panel, 1);
  window_.setCentralWidget(card);
  return panel;
}

Panel* DockLayout::addDock(const PanelEntry& entry, Place place) {
  auto* dock = new QDockWidget(entry.title, &window_);
  Panel* panel = makePanel(entry, dock);
  dock->setObjectName(panel->objectName() + QStringLiteral("Dock"));
  dock->setAccessibleName(entry.title);
  panel->header()->addControl(new DockButtons(dock));
  dock->setTitleBarWidget(panel->header());
  dock->setWidget(panel);
  dock->installEventFilter(this);
  docks_.emplace_back(dock, place);
  window_.addDockWidget(Qt::LeftDockWidgetArea, dock);
  const auto moved = [this] {
    if (!arranging_) {
      QMetaObject::invokeMethod(this, &DockLayout::remember, Qt::QueuedConnection);
    }
  };
  connect(dock, &QDockWidget::dockLocationChanged, this, moved);
  connect(dock, &QDockWidget::topLevelChanged, this, moved);
  return panel;
}

std::vector<QDockWidget*> DockLayout::docks() const {
  std::vector<QDockWidget*> docks;
  for (const auto& [dock, place] : docks_) {
    docks.push_back(dock);
  }
  return docks;
}

// Returns the first dock of a place; nullptr if it has none.
QDockWidget* DockLayout::front(Place place) const {
  for (const auto& [dock, where] : docks_) {
    if (where == place) {
      return dock;
    }
  }
  return nullptr;
}

void DockLayout::restore(QDockWidget* dock, Place place) {
  dock->setFloating(false);
  const bool left = place == Place::LeftTop || place == Place::LeftBottom;
  const bool bottom =
      place == Place::BottomLeft || place == Place::BottomRight || place == Place::BottomWide;
  window_.addDockWidget(left     ? Qt::LeftDockWidgetArea
                        : bottom ? Qt::BottomDockWidgetArea
                                 : Qt::RightDockWidgetArea,
                        dock, bottom && place != Place::BottomWide ? Qt::Horizontal : Qt::Vertical);
  dock->show();
}

// Makes the docks of these places tabs of one area and raises the first.
void DockLayout::stack(std::initializer_list<Place> places) {
  QDockWidget* first = nullptr;
  QDockWidget* last = nullptr;
  for (const Place place : places) {
    for (const auto& [dock, where] : docks_) {
      if (where != place) {
        continue;
      }
      if (last != nullptr) {
        window_.tabifyDockWidget(last, dock);
      }
      first = first == nullptr ? dock : first;
      last = dock;
    }
  }
  if (first != last) {
    first->raise();
  }
}

void DockLayout::resize(Shares pixels, Qt::Orientation orientation) {
  QList<QDockWidget*> docks;
  QList<int> sizes;
  for (const auto& [place, size] : pixels) {
    if (QDockWidget* dock = front(place)) {
      docks << dock;
      sizes << size;
    }
  }
  window_.resizeDocks(docks, sizes, orientation);
}

void DockLayout::bringUp(const Panel& panel) {
  if (auto* dock = qobject_cast<QDockWidget*>(panel.parentWidget())) {
    dock->show();
    dock->raise();
  }
}

void DockLayout::reset() {
  using enum Place;
  arranging_ = true;
  for (QDockWidget* dock : docks()) {
    window_.removeDockWidget(dock);
  }
  for (const auto& [dock, place] : docks_) {
    restore(dock, place);
  }
  const int width = window_.width();
  const int height = window_.height();
  const bool narrow = width < zoomed(kNarrow);
  stack({LeftTop});
  stack({LeftBottom});
  if (narrow) {
    stack({BottomLeft, BottomRight, BottomWide, RightTop, RightMiddle, RightBottom});
    if (QDockWidget* shown = front(RightMiddle)) {
      shown->raise();
    }
  } else if (width < zoomed(kRoomy)) {
    stack({BottomLeft, BottomRight, BottomWide});
    stack({RightTop});
    stack({RightMiddle, RightBottom});
  } else {
    for (const Place place :
         {BottomLeft, BottomRight, BottomWide, RightTop, RightMiddle, RightBottom}) {
      stack({place});
    }
  }
  resize({{LeftTop, sideOf(width, 26, 260, 430)}}, Qt::Horizontal);
  resize({{LeftTop, height * 30 / 100}, {LeftBottom, height * 70 / 100}}, Qt::Vertical);
  if (!narrow) {
    resize({{RightTop, sideOf(width, 29, 290, 480)}}, Qt::Horizontal);
    resize({{RightTop, height * 30 / 100},
            {RightMiddle, height * 40 / 100},
            {RightBottom, height * 30 / 100}},
           Qt::Vertical);
  }
  resize({{BottomLeft, width / 4}, {BottomRight, width / 4}}, Qt::Horizontal);
  if (width < kRoomy) {
    resize({{BottomLeft, height * 36 / 100}}, Qt::Vertical);
  } else {
    resize({{BottomLeft, height * 26 / 100}, {BottomWide, height * 20 / 100}}, Qt::Vertical);
  }
  remember();
  arranging_ = false;
}

void DockLayout::showOnly(QDockWidget* right, QDockWidget* bottom) {
  arranging_ = true;
  for (QDockWidget* dock : docks()) {
    dock->hide();
  }
  if (right != nullptr) {
    restore(right, Place::RightTop);
    window_.resizeDocks({right}, {window_.width() * 2 / 5}, Qt::Horizontal);
  }
  if (bottom != nullptr) {
    restore(bottom, Place::BottomLeft);
    window_.resizeDocks({bottom}, {window_.height() / 4}, Qt::Vertical);
  }
  remember();
  arranging_ = false;
}

void DockLayout::remember() {
  window_.layout()->activate();
  hideEmptyBars(window_);
  whole_ = window_.size();
  sizes_.clear();
  for (QDockWidget* dock : docks()) {
    if (isSeen(*dock)) {
      sizes_[dock->objectName()] = roomOf(dock, window_);
    }
  }
}

void DockLayout::scale() {
  QList<QDockWidget*> shown;
  QList<int> widths;
  QList<int> heights;
  for (QDockWidget* dock : docks()) {
    const auto size = sizes_.find(dock->objectName());
    if (size == sizes_.end() || dock->isFloating() || dock->isHidden()) {
      continue;
    }
    shown << dock;
    widths << std::max(1, size->second.width() * window_.width() / whole_.width());
    heights << std::max(1, size->second.height() * window_.height() / whole_.height());
  }
  window_.resizeDocks(shown, widths, Qt::Horizontal);
  window_.resizeDocks(shown, heights, Qt::Vertical);
  window_.layout()->activate();
  hideEmptyBars(window_);
}

// Scales the docks after the window was resized. Records their sizes after a separator was dragged,
// or a dock was closed or opened.
bool DockLayout::eventFilter(QObject* watched, QEvent* event) {
  const QEvent::Type type = event->type();
  const bool isWindow = watched == &window_;
  const bool isArranged = isWindow ? type == QEvent::MouseButtonRelease
                                   : type == QEvent::HideToParent || type == QEvent::ShowToParent;
  if (isWindow && type == QEvent::Resize && !whole_.isEmpty()) {
    scale();
  } else if (isArranged && !arranging_) {
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
