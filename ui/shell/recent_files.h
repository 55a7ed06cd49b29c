#pragma once

#include <QMenu>
#include <QStringList>

namespace shardlens {

// The menu of what was opened lately, by folder and name, kept in the settings. A tooltip has the
// whole path.
class RecentFiles final : public QMenu {
  Q_OBJECT

 public:
  explicit RecentFiles(QWidget* parent);

  void load();
  void add(const QString& path);

 Q_SIGNALS:
  void pathWanted(const QString& path);
  void changed(const QStringList& paths);  // the newest first

 private:
  void list(const QStringList& paths);
};

}  // namespace shardlens
