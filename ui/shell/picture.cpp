#include "ui/shell/picture.h"

#include "ui/shell/main_window.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <QPixmap>
#include <QSaveFile>
#include <QTimer>
#include <functional>

namespace shardlens {
namespace {

constexpr int kPatience = 60000;  // ms in which the recording must have grown

// Waits until this holds, the document has failed, or nothing happens.
bool waitUntil(MainWindow& window, const std::function<bool()>& holds) {
  QEventLoop loop;
  QTimer patience;
  patience.setSingleShot(true);
  bool late = false;
  const auto look = [&] {
    patience.start(kPatience);
    if (!window.lastProblem().isEmpty() || holds()) {
      loop.quit();
    }
  };
  QObject::connect(&window, &MainWindow::redrawn, &loop, look, Qt::QueuedConnection);
  QObject::connect(&patience, &QTimer::timeout, &loop, [&] {
    late = true;
    loop.quit();
  });
  QMetaObject::invokeMethod(&loop, look, Qt::QueuedConnection);
  loop.exec();
  return !late;
}

// Brings the cursor there: of a run that is live and no position, to its end.
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
  if (!position) {
    cursor.moveTo(document->firstProblemOrEnd());
  }
  return waitUntil(window, isThere);
}

}  // namespace

Result<void> takePicture(MainWindow& window, std::optional<EventId> position, const QString& path) {
  if (!goTo(window, position)) {
    return fail("the engine has not answered for a minute");
  }
  if (!window.lastProblem().isEmpty()) {
    return fail(window.lastProblem().toStdString());
  }
  if (position && window.cursor().position() != *position) {
    return fail("event " + std::to_string(*position) + " was asked for, but there are only " +
                std::to_string(window.cursor().size()));
  }
  window.redraw();
  // Layouts settle with the events that showing them posts.
  for (int round = 0; round < 3; ++round) {
    QCoreApplication::sendPostedEvents();
    QCoreApplication::processEvents();
  }
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly) || !window.grab().save(&file, "PNG") || !file.commit()) {
    return fail(path.toStdString() + ": " + file.errorString().toStdString());
  }
  return {};
}

}  // namespace shardlens
