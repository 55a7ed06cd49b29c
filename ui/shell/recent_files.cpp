#include "ui/shell/recent_files.h"

#include "ui/shell/settings.h"

#include <QDir>
#include <QFileInfo>

namespace shardlens {
namespace {

constexpr int kMostRecent = 6;

const QString kRecentKey = QStringLiteral("recent");

}  // namespace

RecentFiles::RecentFiles(QWidget* parent) : QMenu(tr("Open &recent"), parent) {
  setToolTipsVisible(true);
}

void RecentFiles::load() { list(settings().value(kRecentKey).toStringList()); }

void RecentFiles::add(const QString& path) {
  QSettings store = settings();
  QStringList paths = store.value(kRecentKey).toStringList();
  paths.removeAll(path);
  paths.prepend(path);
  paths = paths.mid(0, kMostRecent);
  store.setValue(kRecentKey, paths);
  list(paths);
}

void RecentFiles::list(const QStringList& paths) {
  clear();
  for (const QString& path : paths) {
    const QFileInfo file(path);
    QString name = file.dir().dirName() + u'/' + file.fileName();
    auto* action = addAction(name.replace(u'&', QStringLiteral("&&")));
    action->setToolTip(path);
    connect(action, &QAction::triggered, this, [this, path] { Q_EMIT pathRequested(path); });
  }
  setEnabled(!paths.isEmpty());
  Q_EMIT changed(paths);
}

}  // namespace shardlens
