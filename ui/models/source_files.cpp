#include "ui/models/source_files.h"

#include <QFile>
#include <QFileInfo>
#include <utility>

namespace shardlens {
namespace {

// Removes the common trailing names: "/home/a/src/net.py" and "/b/src/net.py" give "/home/a" and
// "/b".
std::pair<QString, QString> beforeCommonEnd(QString recorded, QString path) {
  const auto name = [](const QString& text) { return text.mid(text.lastIndexOf(u'/') + 1); };
  while (recorded.contains(u'/') && path.contains(u'/') && name(recorded) == name(path)) {
    recorded.truncate(recorded.lastIndexOf(u'/'));
    path.truncate(path.lastIndexOf(u'/'));
  }
  return {recorded, path};
}

}  // namespace

std::optional<QString> SourceFiles::textOf(const QString& recorded, std::string_view text) {
  if (!text.empty()) {
    if (text != shown_) {
      shown_ = text;
      shownText_ = QString::fromUtf8(shown_);
    }
    return shownText_;
  }
  const auto known = texts_.constFind(recorded);
  if (known != texts_.constEnd()) {
    return *known;
  }
  QFile file(placeOf(recorded));
  std::optional<QString> found;
  const QFileInfo info(file);
  if (info.isFile() && info.size() <= kMost && file.open(QIODevice::ReadOnly)) {
    found = QString::fromUtf8(file.readAll());
  }
  texts_.insert(recorded, found);
  return found;
}

QString SourceFiles::placeOf(const QString& recorded) const {
  for (auto folder = folders_.constBegin(); folder != folders_.constEnd(); ++folder) {
    const QString place = folder.value() + recorded.mid(folder.key().size());
    if (recorded.startsWith(folder.key()) && QFileInfo(place).isFile()) {
      return place;
    }
  }
  return recorded;
}

// If the two file names differ, the mapping applies to this file only.
void SourceFiles::learn(const QString& recorded, const QString& path) {
  const auto [before, instead] = beforeCommonEnd(recorded, path);
  folders_.insert(before, instead);
  texts_.clear();
}

}  // namespace shardlens
