#include "ui/bridge/named_paths.h"

#include "core/imports/dump_format.h"

#include <QDir>
#include <QFileInfo>
#include <QMimeData>
#include <QRegularExpression>
#include <QUrl>
#include <algorithm>
#include <map>

namespace shardlens {
namespace {

// Returns the path with its numbers replaced by '#', which identifies the run. Empty if the path is
// neither a recording nor a dump.
QString runOf(const QString& path) {
  static const QRegularExpression kNumber(QStringLiteral("[0-9]+"));
  const QFileInfo file(path);
  const bool isPart = path.endsWith(QStringLiteral(".shardlens")) || isDump(path.toStdString());
  if (!isPart || !file.isFile()) {
    return {};
  }
  return file.absolutePath() + u'/' + file.fileName().replace(kNumber, QStringLiteral("#"));
}

}  // namespace

QStringList pathsOf(const QMimeData& data) {
  QStringList paths;
  for (const QUrl& url : data.urls()) {
    if (url.isLocalFile()) {
      paths << url.toLocalFile();
    }
  }
  if (!paths.isEmpty()) {
    return paths;
  }
  constexpr qsizetype kMost = 100'000;  // characters; a longer text is not a list of paths
  const QString text = data.hasText() ? data.text().left(kMost) : QString();
  for (const QString& line : text.split(u'\n')) {
    if (const QString path = line.trimmed(); !path.isEmpty()) {
      paths << (path.startsWith(QStringLiteral("file:")) ? QUrl(path).toLocalFile() : path);
    }
  }
  const bool areThere = std::all_of(paths.begin(), paths.end(),
                                    [](const QString& path) { return QFileInfo::exists(path); });
  return areThere ? paths : QStringList();
}

std::vector<QStringList> partedByRun(const QStringList& paths) {
  std::vector<QStringList> parts;
  std::map<QString, std::size_t> runs;  // the index of each run in `parts`
  for (const QString& path : paths) {
    const QString run = runOf(path);
    const auto [known, isNew] = runs.try_emplace(run, parts.size());
    if (run.isEmpty() || isNew) {
      parts.push_back({path});
    } else {
      parts[known->second] << path;
    }
  }
  return parts;
}

QString folderOfRun(const QString& recording) {
  const QFileInfo file(recording);
  QStringList all;
  for (const QFileInfo& each :
       file.dir().entryInfoList({QStringLiteral("*.shardlens")}, QDir::Files)) {
    all << each.absoluteFilePath();
  }
  const bool isOfRun = all.size() > 1 && all.contains(file.absoluteFilePath());
  return isOfRun && partedByRun(all).size() == 1 ? file.absolutePath() : QString();
}

Paths toPaths(const QStringList& names) {
  Paths paths;
  for (const QString& name : names) {
    paths.emplace_back(name.toStdString());
  }
  return paths;
}

}  // namespace shardlens
