#pragma once

#include <QHash>
#include <QString>
#include <optional>
#include <string>
#include <string_view>

namespace shardlens {

// Reads the source files that a recording names: from the recording, from their recorded path, or
// from a folder that the user has named with learn(). Caches texts and failures until the next
// learn().
class SourceFiles {
 public:
  static constexpr qint64 kMost = qint64{4} << 20;  // larger files are not read

  // Returns the text of the file recorded as `recorded`. `text`, if not empty, is the recorded text
  // and is returned. Otherwise reads the file; nullopt if it is missing, unreadable or larger than
  // kMost.
  std::optional<QString> textOf(const QString& recorded, std::string_view text = {});
  // Records that the file `recorded` is at `path` on this machine and clears the cache. If the
  // names of the two files are the same, other files of the recorded folder are looked up beside
  // it.
  void learn(const QString& recorded, const QString& path);

 private:
  QString placeOf(const QString& recorded) const;

  std::string shown_;  // recorded text of the newest call, and its QString
  QString shownText_;
  QHash<QString, QString> folders_;               // local folder by recorded folder
  QHash<QString, std::optional<QString>> texts_;  // by recorded path; nullopt: not readable
};

}  // namespace shardlens
