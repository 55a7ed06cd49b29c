#include "ui/shell/picture.h"

#include "ui/pages/comparison_page.h"
#include "ui/panels/panel.h"
#include "ui/panels/panel_catalogue.h"
#include "ui/panels/timeline_panel.h"
#include "ui/shell/main_window.h"
#include "ui/widgets/timeline_canvas.h"

#include <QCoreApplication>
#include <QDockWidget>
#include <QEventLoop>
#include <QLayout>
#include <QPainter>
#include <QPixmap>
#include <QSaveFile>
#include <QSvgGenerator>
#include <QTimer>
#include <functional>

namespace shardlens {
namespace {

constexpr int kPatience = 60000;  // ms; the wait ends if nothing was redrawn for so long

// Returns true while a recording is being read, which ends without redraws but ends by itself.
bool isReading(const MainWindow& window) {
  return window.isOpening() && window.opening()->engine() == nullptr;
}

// Runs the event loop until `condition` returns true or the window reports a problem. Returns false
// after kPatience without a redraw, unless a recording is being read.
bool waitUntil(MainWindow& window, const std::function<bool()>& condition) {
  QEventLoop loop;
  QTimer patience;
  patience.setSingleShot(true);
  bool late = false;
  const auto check = [&] {
    patience.start(kPatience);
    if (!window.lastProblem().isEmpty() || condition()) {
      loop.quit();
    }
  };
  QObject::connect(&window, &MainWindow::redrawn, &loop, check, Qt::QueuedConnection);
  QObject::connect(&patience, &QTimer::timeout, &loop, [&] {
    if (isReading(window)) return patience.start(kPatience);
    late = true;
    loop.quit();
  });
  QMetaObject::invokeMethod(&loop, check, Qt::QueuedConnection);
  loop.exec();
  return !late;
}

// Moves the cursor to the position. Without a position, first runs a live run to its end.
bool goTo(MainWindow& window, std::optional<EventId> position) {
  if (!waitUntil(window, [&] { return !window.isOpening(); })) {
    return false;
  }
  const Document* document = window.document();
  if (document == nullptr) {
    return true;
  }
  Cursor& cursor = window.cursor();
  const auto isThere = [&] { return !cursor.waits(); };
  if (position) {
    cursor.moveTo(*position);
  } else if (document->engine() != nullptr) {
    cursor.toEnd();
  }
  if (!waitUntil(window, isThere)) {
    return false;
  }
  if (position) {
    return true;
  }
  if (document->engine() != nullptr) {
    cursor.moveTo(document->firstProblemOrEnd());
  } else if (!waitUntil(window, [&] { return !window.problems().isSearching(); })) {
    return false;
  }
  return waitUntil(window, isThere);
}

Result<void> expectPanel(const QString& panel) {
  QStringList names;
  for (const PanelEntry& entry : panelCatalogue()) {
    names << shortNameOf(entry);
  }
  if (panel.isEmpty() || names.contains(panel)) {
    return {};
  }
  return fail("panel " + panel.toStdString() + ": expected one of " +
              names.join(QStringLiteral(", ")).toStdString());
}

// Returns the window, or the panel's dock including its title. Raises the dock above those it is
// tabbed with.
QWidget* subjectOf(MainWindow& window, const QString& panel) {
  if (panel.isEmpty()) {
    return &window;
  }
  auto* widget = window.findChild<Panel*>(panel + QStringLiteral("Panel"));
  if (auto* dock = qobject_cast<QDockWidget*>(widget->parentWidget())) {
    dock->show();
    dock->raise();
  }
  return widget->parentWidget();
}

// Lays out the Timeline if it is in the picture. Otherwise, a Timeline that reads its spans in
// slices would draw its last layout.
void layOutTimeline(const QWidget& subject) {
  auto* canvas = subject.findChild<TimelineCanvas*>();
  if (canvas != nullptr && !canvas->visibleRegion().isEmpty()) canvas->scene();
}

bool write(QWidget& widget, QSaveFile& file, bool isVector) {
  if (!isVector) {
    return widget.grab().save(&file, "PNG");
  }
  QSvgGenerator drawing;
  drawing.setOutputDevice(&file);
  drawing.setSize(widget.size());
  drawing.setViewBox(widget.rect());
  QPainter painter;
  if (!painter.begin(&drawing)) {
    return false;
  }
  widget.render(&painter);
  return painter.end();
}

// Hides the buttons of a panel and gives it a size, as long as this object lives.
class Posing {
 public:
  Posing(QWidget& subject, Panel& panel, QSize size) : subject_(subject), panel_(panel) {
    panel_.header()->setControlsVisible(false);
    if (size.isEmpty()) return;
    // The layout of the window would restore the size.
    layout_ = subject_.parentWidget()->layout();
    layout_->setEnabled(false);
    subject_.resize(size);
    for (int round = 0; round < 3; ++round) {
      QCoreApplication::sendPostedEvents();
      QCoreApplication::processEvents();
    }
  }
  ~Posing() {
    panel_.header()->setControlsVisible(true);
    if (layout_ == nullptr) return;
    layout_->setEnabled(true);
    layout_->invalidate();
    layout_->activate();
  }
  Posing(const Posing&) = delete;
  Posing& operator=(const Posing&) = delete;

 private:
  QWidget& subject_;
  Panel& panel_;
  QLayout* layout_ = nullptr;
};

}  // namespace

Result<void> takePicture(MainWindow& window, std::optional<EventId> position, const QString& path,
                         const QString& panel, QSize size) {
  if (const auto known = expectPanel(panel); !known) {
    return known;
  }
  if (!goTo(window, position)) {
    return fail("the engine has not responded for a minute");
  }
  if (!window.lastProblem().isEmpty()) {
    return fail(window.lastProblem().toStdString());
  }
  if (position && window.cursor().position() != *position) {
    return fail("event " + std::to_string(*position) + " does not exist: expected 0 to " +
                std::to_string(window.cursor().size()));
  }
  if (!waitUntil(window, [&] { return !window.problems().isSearching(); })) {
    return fail("the search for problems has made no progress for a minute");
  }
  if (!waitUntil(window, [&] { return !window.comparison().isBusy(); })) {
    return fail("the comparison has made no progress for a minute");
  }
  subjectOf(window, panel);  // raises the dock
  window.redraw();
  const auto* timeline = window.findChild<TimelinePanel*>();
  while (!timeline->isComplete()) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
  // Showing widgets posts the events that complete their layouts.
  for (int round = 0; round < 3; ++round) {
    QCoreApplication::sendPostedEvents();
    QCoreApplication::processEvents();
  }
  return drawPicture(window, path, panel, size);
}

Result<void> drawPicture(MainWindow& window, const QString& path, const QString& panel,
                         QSize size) {
  QWidget* subject = subjectOf(window, panel);
  std::optional<Posing> posing;
  if (!panel.isEmpty()) {
    posing.emplace(*subject, *window.findChild<Panel*>(panel + QStringLiteral("Panel")), size);
  }
  layOutTimeline(*subject);
  QSaveFile file(path);
  const bool isVector = path.endsWith(QStringLiteral(".svg"), Qt::CaseInsensitive);
  if (!file.open(QIODevice::WriteOnly) || !write(*subject, file, isVector) || !file.commit()) {
    return fail(path.toStdString() + ": " + file.errorString().toStdString());
  }
  return {};
}

}  // namespace shardlens
