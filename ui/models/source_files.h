#pragma once

#include <QHash>
#include <QString>
#include <optional>
#include <string>
#include <string_view>

namespace shardlens {

// The files of the user's program that a recording names, as it has them; else as far as they are
// here: under the path that they had then, or where a person said that one of them is, and others
// beside it.
class SourceFiles {
 public:
  static constexpr qint64 kMost = qint64{4} << 20;  // bytes that are read of one

  // Nothing where the recording does not have its text, and it is not here, cannot be read, or is
  // larger than that.
  std::optional<QString> textOf(const QString& recorded, std::string_view text = {});
  void learn(const QString& recorded, const QString& path);

 private:
  QString placeOf(const QString& recorded) const;

  std::string shown_;                             // the text that a recording had
  QString shownText_;
  QHash<QString, QString> folders_;               // by how they were recorded
  QHash<QString, std::optional<QString>> texts_;  // by how the file was recorded
};

}  // namespace shardlens
