#pragma once

#include <QMenu>
#include <QStringList>

namespace shardlens {

// The menu of the last 6 opened files, as folder and name, stored in the settings. Tooltips have
// the full paths.
class RecentFiles final : public QMenu {
  Q_OBJECT

 public:
  explicit RecentFiles(QWidget* parent);

  void load();                    // reads the list from the settings
  void add(const QString& path);  // puts the path first and stores the list

 Q_SIGNALS:
  void pathRequested(const QString& path);  // the user chose this file
  void changed(const QStringList& paths);   // newest first; after each load() and add()

 private:
  void list(const QStringList& paths);
};

}  // namespace shardlens
