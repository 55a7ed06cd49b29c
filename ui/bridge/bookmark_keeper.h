#pragma once

#include "core/trace/journal/bookmarks.h"

#include <QObject>
#include <filesystem>
#include <utility>
#include <vector>

namespace shardlens {

// Writes bookmarks into recording files. All instances share one worker thread, so that changes are
// applied in the order of keep(). Pending changes are written even after the object is destroyed.
class BookmarkKeeper final : public QObject {
  Q_OBJECT

 public:
  using Changes = std::vector<std::pair<std::filesystem::path, BookmarkChange>>;

  using QObject::QObject;
  // Enqueues the changes. They are written in order up to the first failure; the others are
  // dropped.
  void keep(Changes changes);
  // Blocks until the changes of all instances are written.
  static void waitForAll();

 Q_SIGNALS:
  // One of these two is emitted per keep(), in the order of the calls and later than the call
  // returns, while the object lives. refused() has the first failure.
  void kept();
  void refused(const QString& message);
};

}  // namespace shardlens
