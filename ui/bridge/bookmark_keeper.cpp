#include "ui/bridge/bookmark_keeper.h"

#include "core/trace/file/bookmark_file.h"
#include "ui/bridge/background_task.h"

#include <QThreadPool>

namespace shardlens {
namespace {

// The shared pool. It has one thread, so that the later of two changes wins.
QThreadPool& queue() {
  static QThreadPool pool;
  pool.setMaxThreadCount(1);
  return pool;
}

Result<void> write(const BookmarkKeeper::Changes& changes) {
  for (const auto& [path, change] : changes) {
    if (const auto kept = keepBookmarks(path, {&change, 1}); !kept) return kept;
  }
  return {};
}

}  // namespace

void BookmarkKeeper::keep(Changes changes) {
  auto* task = new BackgroundTask(
      "cannot save bookmarks",
      [changes = std::move(changes)](const Progress& /*progress*/) { return write(changes); }, this,
      &queue());
  connect(task, &BackgroundTask::finished, this, &BookmarkKeeper::kept);
  connect(task, &BackgroundTask::failed, this, &BookmarkKeeper::refused);
  connect(task, &BackgroundTask::finished, task, &QObject::deleteLater);
  connect(task, &BackgroundTask::failed, task, &QObject::deleteLater);
}

void BookmarkKeeper::waitForAll() { queue().waitForDone(); }

}  // namespace shardlens
