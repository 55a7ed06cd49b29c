#include "ui/shell/picture.h"

#include "ui/shell/main_window.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <QPixmap>
#include <QSaveFile>
#include <QTimer>

namespace shardlens {
namespace {

constexpr int kPatience = 60000;  // ms in which the recording must have grown

// Waits until the cursor has found what it seeks, the document has failed, or nothing happens.
bool settle(MainWindow& window) {
  QEventLoop loop;
  QTimer patience;
  patience.setSingleShot(true);
  bool late = false;
  const auto look = [&] {
    patience.start(kPatience);
    if (!window.lastProblem().isEmpty() || !window.cursor().waits()) {
      loop.quit();
    }
  };
  QObject::connect(&window, &MainWindow::redrawn, &loop, look);
  QObject::connect(window.document(), &Document::failed, &loop, look, Qt::QueuedConnection);
  QObject::connect(&patience, &QTimer::timeout, &loop, [&] {
    late = true;
    loop.quit();
  });
  patience.start(kPatience);
  loop.exec();
  return !late;
}

}  // namespace

Result<void> takePicture(MainWindow& window, std::optional<EventId> position, const QString& path) {
  const bool open = window.document() != nullptr;
  if (position) {
    window.cursor().moveTo(*position);
  } else if (open && window.document()->engine() == nullptr) {
    window.cursor().moveTo(window.cursor().size());  // of a recording that grows, as far as it goes
  } else {
    window.cursor().toEnd();
  }
  if (open && !settle(window)) {
    return fail("the engine has not answered for a minute");
  }
  if (!window.lastProblem().isEmpty()) {
    return fail(window.lastProblem().toStdString());
  }
  if (position && window.cursor().position() != *position) {
    return fail("step " + std::to_string(*position) + " was asked for, but there are only " +
                std::to_string(window.cursor().size()));
  }
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
