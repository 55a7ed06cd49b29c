#pragma once

#include "core/trace/journal/bookmarks.h"

#include <QObject>
#include <filesystem>
#include <utility>
#include <vector>

namespace shardlens {

// Brings bookmarks into the files of recordings, one change after the other on another thread. What
// was given to it is done also when it goes.
class BookmarkKeeper final : public QObject {
  Q_OBJECT

 public:
  using Changes = std::vector<std::pair<std::filesystem::path, BookmarkChange>>;

  using QObject::QObject;
  void keep(Changes changes);
  // Until all that was given to any is done.
  static void waitForAll();

 Q_SIGNALS:
  // One of these comes of each keep(), in their order.
  void kept();
  void refused(const QString& message);
};

}  // namespace shardlens
