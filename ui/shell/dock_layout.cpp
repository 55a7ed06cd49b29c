#include "ui/shell/dock_layout.h"

#include "ui/panels/panel.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/shell/dock_buttons.h"
#include "ui/shell/panel_places.h"

#include <QApplication>
#include <QDataStream>
#include <QEvent>
#include <QIODevice>
#include <QLayout>
#include <QPointer>
#include <QTabBar>
#include <QVBoxLayout>
#include <algorithm>

// Uses QMainWindow's docks, because Debian 12 has no docking library for Qt 6.
namespace shardlens {
namespace {

constexpr int kVersion = 4;

// In a window narrower than kRoomy, the docks at the bottom share a place, and some at the right.
// In one narrower than kNarrow, all of these share one place, and in one narrower than kSlimWidth
// all docks do.
constexpr int kRoomy = 1600;
constexpr int kNarrow = 1180;
constexpr int kSlimWidth = 860;

// Returns a percentage of the width, limited to a range in which text is readable.
int sideOf(int width, int percent, double narrowest, double widest) {
  const int share = width * percent / 100;
  const int most = width * 2 / 5;  // limit at a large zoom
  return std::min(std::clamp(share, zoomed(narrowest), zoomed(widest)), most);
}

bool isBottom(Place place) {
  return place == Place::BottomLeft || place == Place::BottomRight || place == Place::BottomWide;
}

// Qt moves a dock that is a hidden tab outside of the window.
bool isSeen(const QDockWidget& dock) {
  return !dock.isFloating() && !dock.isHidden() && dock.geometry().right() >= 0;
}

// tabifiedDockWidgets() also contains closed docks.
bool isTabbed(QDockWidget* dock, const QMainWindow& window) {
  const auto others = window.tabifiedDockWidgets(dock);
  return std::any_of(others.begin(), others.end(), [](auto* other) { return !other->isHidden(); });
}

// Returns the size of a dock, including its tab bar if it is a tab.
QSize roomOf(QDockWidget* dock, const QMainWindow& window) {
  int tabs = 0;
  if (isTabbed(dock, window)) {
    for (const auto* bar : window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
      tabs = std::max(tabs, bar->isVisible() ? bar->height() : 0);
    }
  }
  return dock->size() + QSize(0, tabs);
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
      fit();
    }
  };
  connect(&Zoom::now(), &Zoom::changed, this, keepSizes, Qt::QueuedConnection);
}

Panel* DockLayout::add(const PanelEntry& entry) {
  return entry.place == Place::Middle ? addMiddle(entry) : addDock(entry);
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

Panel* DockLayout::addDock(const PanelEntry& entry) {
  auto* dock = new QDockWidget(entry.title, &window_);
  Panel* panel = makePanel(entry, dock);
  dock->setObjectName(panel->objectName() + QStringLiteral("Dock"));
  dock->setAccessibleName(entry.title);
  panel->header()->addControl(new DockButtons(dock));
  dock->setTitleBarWidget(panel->header());
  dock->setWidget(panel);
  dock->installEventFilter(this);
  docks_.push_back(dock);
  window_.addDockWidget(Qt::LeftDockWidgetArea, dock);
  const auto moved = [this] {
    if (!arranging_) {
      isDefault_ = false;
      QMetaObject::invokeMethod(this, &DockLayout::remember, Qt::QueuedConnection);
    }
  };
  connect(dock, &QDockWidget::dockLocationChanged, this, moved);
  connect(dock, &QDockWidget::topLevelChanged, this, moved);
  return panel;
}

QDockWidget* DockLayout::dockOf(const QString& panel) const {
  const auto found = std::find_if(docks_.begin(), docks_.end(), [&](const QDockWidget* dock) {
    return dock->objectName() == panel + QStringLiteral("Dock");
  });
  return found == docks_.end() ? nullptr : *found;
}

// Returns the docks with their places in the present perspective. Those without content come last
// and share a place. Events fill the middle of the window if nothing else would.
std::vector<std::pair<QDockWidget*, Place>> DockLayout::arrangement() const {
  std::vector<std::pair<QDockWidget*, Place>> full;
  std::vector<std::pair<QDockWidget*, Place>> folded;
  for (const auto& [panel, place] : placesOf(content_)) {
    const QString name = QLatin1String(panel);
    if (QDockWidget* dock = dockOf(name)) {
      const bool isEmpty = content_.empty.contains(name);
      (isEmpty ? folded : full).emplace_back(dock, isEmpty ? Place::RightBottom : place);
    }
  }
  const bool hasMiddle =
      !content_.empty.contains(QStringLiteral("shardsPanel")) ||
      std::any_of(full.begin(), full.end(), [](const auto& each) { return isBottom(each.second); });
  for (auto& [dock, place] : full) {
    if (!hasMiddle && dock == dockOf(QStringLiteral("eventsPanel"))) {
      place = Place::BottomWide;
    }
  }
  full.insert(full.end(), folded.begin(), folded.end());
  return full;
}

void DockLayout::arrangeFor(const RunContent& content) {
  if (std::exchange(content_, content) == content) {
    return;
  }
  tidyBars();
  if (isDefault_ && !whole_.isEmpty()) {
    reset();
  }
}

void DockLayout::setPerspective(Perspective perspective) {
  content_.perspective = perspective;
  reset();
}

// Hides empty tab bars, because Qt may leave them above a panel. Tabs that do not fit are scrolled,
// not elided. The tab of a panel without content is grey, and its tooltip states the reason. The
// header of a panel with a tab does not repeat the title.
void DockLayout::tidyBars() const {
  for (QDockWidget* dock : docks_) {
    static_cast<PanelHeader*>(dock->titleBarWidget())->setTabbed(isTabbed(dock, window_));
  }
  for (auto* bar : window_.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
    bar->setAccessibleName(QObject::tr("Panels"));
    bar->setDrawBase(false);
    bar->setElideMode(Qt::ElideNone);
    bar->setUsesScrollButtons(true);
    if (bar->count() == 0) {
      bar->hide();
    }
    for (int tab = 0; tab < bar->count(); ++tab) {
      for (const QDockWidget* dock : docks_) {
        if (dock->windowTitle() != bar->tabText(tab)) continue;
        const QString reason = content_.empty.value(dock->widget()->objectName());
        bar->setTabTextColor(tab, reason.isEmpty() ? QColor() : theme().faint);
        bar->setTabToolTip(tab, reason.isEmpty() ? dock->windowTitle() : reason);
      }
    }
  }
}

// Returns the first dock of a place; nullptr if it has none.
QDockWidget* DockLayout::front(Place place) const {
  for (const auto& [dock, where] : order_) {
    if (where == place) {
      return dock;
    }
  }
  return nullptr;
}

void DockLayout::restore(QDockWidget* dock, Place place) {
  dock->setFloating(false);
  const bool left = place == Place::LeftTop || place == Place::LeftBottom;
  const bool bottom = isBottom(place);
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
    for (const auto& [dock, where] : order_) {
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
  panel.parentWidget()->show();
  panel.parentWidget()->setMaximumHeight(QWIDGETSIZE_MAX);
  if (auto* dock = qobject_cast<QDockWidget*>(panel.parentWidget())) {
    dock->raise();
  }
}

DockLayout::Breadth DockLayout::breadth() const {
  const int width = window_.width();
  return width < zoomed(kSlimWidth) ? Breadth::Slim
         : width < zoomed(kNarrow)  ? Breadth::Narrow
         : width < zoomed(kRoomy)   ? Breadth::Medium
                                    : Breadth::Wide;
}

void DockLayout::reset() {
  using enum Place;
  arranging_ = true;
  isDefault_ = true;
  made_ = breadth();
  order_ = arrangement();
  const bool hasMiddle = !content_.empty.contains(QStringLiteral("shardsPanel"));
  // Not hidden, because the docks around it would then share its width.
  window_.centralWidget()->setMaximumHeight(hasMiddle ? QWIDGETSIZE_MAX : 0);
  const bool isJob =
      content_.perspective == Perspective::Job || content_.perspective == Perspective::Hang;
  for (QDockWidget* dock : docks()) {
    window_.removeDockWidget(dock);
  }
  const bool slim = made_ == Breadth::Slim;
  // A recording opens on its overview, a run on the decisions of its steps.
  const bool isRecorded = content_.perspective == Perspective::Step && !content_.isLive;
  const Place first = isRecorded ? RightBottom : RightMiddle;
  for (const auto& [dock, place] : order_) {
    restore(dock, slim ? BottomLeft : place);
  }
  const int width = window_.width();
  const int height = window_.height();
  if (slim) {
    // Panels without content are among those at the right bottom.
    stack({LeftTop, LeftBottom, BottomWide, RightTop, RightMiddle, RightBottom, BottomLeft,
           BottomRight});
    if (QDockWidget* shown = front(isJob ? BottomWide : LeftBottom)) {
      shown->raise();
    }
    resize({{LeftBottom, height * 50 / 100}}, Qt::Vertical);
    remember();
    arranging_ = false;
    return;
  }
  const bool narrow = made_ == Breadth::Narrow;
  stack({LeftTop});
  stack({LeftBottom});
  if (narrow) {
    stack({BottomLeft, BottomRight, BottomWide, RightTop, RightMiddle, RightBottom});
    if (QDockWidget* shown = front(isJob ? BottomWide : first)) {
      shown->raise();
    }
  } else if (made_ == Breadth::Medium) {
    stack({BottomLeft, BottomRight, BottomWide});
    if (QDockWidget* shown = front(BottomWide); shown != nullptr && front(BottomLeft) == nullptr) {
      shown->raise();
    }
    stack({RightTop});
    stack({RightMiddle, RightBottom});
    if (QDockWidget* shown = front(first)) {
      shown->raise();
    }
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
  const Place upper = front(BottomLeft) != nullptr ? BottomLeft : BottomRight;
  if (made_ == Breadth::Wide && front(upper) != nullptr) {
    const int lower = hasMiddle ? 20 : 70;
    resize({{upper, height * 30 / 100}, {BottomWide, height * lower / 100}}, Qt::Vertical);
  } else {
    // All docks at the bottom are one group, of which any may be resized.
    const Place group = front(upper) != nullptr ? upper : BottomWide;
    const int share = !hasMiddle ? 100 : isJob ? 55 : 36;
    resize({{group, height * share / 100}}, Qt::Vertical);
  }
  remember();
  arranging_ = false;
}

// Called after the user dragged a separator, or closed or opened a dock.
void DockLayout::learn() {
  const auto before = sizes_;
  const QSize whole = whole_;
  remember();
  isDefault_ = isDefault_ && whole == whole_ && before == sizes_;
}

// Adapts to another size of the window.
void DockLayout::fit() {
  if (!isDefault_ || breadth() == made_) {
    return scale();
  }
  const QPointer<QWidget> focus = QApplication::focusWidget();
  reset();
  for (QDockWidget* dock : docks()) {
    if (focus != nullptr && dock->isAncestorOf(focus)) {
      dock->raise();
      focus->setFocus();
    }
  }
}

void DockLayout::showOnly(QDockWidget* right, QDockWidget* bottom, int height) {
  arranging_ = true;
  isDefault_ = false;
  for (QDockWidget* dock : docks()) {
    dock->hide();
  }
  window_.centralWidget()->setMaximumHeight(QWIDGETSIZE_MAX);
  if (right != nullptr) {
    restore(right, Place::RightTop);
    window_.resizeDocks({right}, {window_.width() * 2 / 5}, Qt::Horizontal);
  }
  if (bottom != nullptr) {
    restore(bottom, Place::BottomLeft);
    window_.resizeDocks({bottom}, {std::min(height, window_.height() / 2)}, Qt::Vertical);
  }
  remember();
  arranging_ = false;
}

void DockLayout::remember() {
  window_.layout()->activate();
  tidyBars();
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
  tidyBars();
}

// Scales the docks after the window was resized. Records their sizes after a separator was dragged,
// or a dock was closed or opened.
bool DockLayout::eventFilter(QObject* watched, QEvent* event) {
  const QEvent::Type type = event->type();
  const bool isWindow = watched == &window_;
  const bool isArranged = isWindow ? type == QEvent::MouseButtonRelease
                                   : type == QEvent::HideToParent || type == QEvent::ShowToParent;
  if (isWindow && type == QEvent::Resize && !whole_.isEmpty()) {
    fit();
  } else if (isWindow && type == QEvent::PaletteChange) {
    tidyBars();
  } else if (isArranged && !arranging_) {
    QMetaObject::invokeMethod(this, &DockLayout::learn, Qt::QueuedConnection);
  }
  return QObject::eventFilter(watched, event);
}

QByteArray DockLayout::save() const {
  QByteArray saved;
  QDataStream stream(&saved, QIODevice::WriteOnly);
  stream << isDefault_ << window_.saveState(kVersion) << whole_ << QMap<QString, QSize>(sizes_);
  return saved;
}

void DockLayout::restore(const QByteArray& saved) {
  QDataStream stream(saved);
  QByteArray state;
  QSize whole;
  QMap<QString, QSize> sizes;
  bool isDefault = false;
  stream >> isDefault >> state >> whole >> sizes;
  if (isDefault && stream.status() == QDataStream::Ok) {
    return reset();
  }
  arranging_ = true;
  const bool restored = stream.status() == QDataStream::Ok && !whole.isEmpty() &&
                        window_.restoreState(state, kVersion);
  arranging_ = false;
  if (!restored) {
    return;
  }
  isDefault_ = false;
  whole_ = whole;
  sizes_ = sizes.toStdMap();
  scale();
}

}  // namespace shardlens
