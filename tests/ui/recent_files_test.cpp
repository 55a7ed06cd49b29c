#include "ui/shell/recent_files.h"

#include <gmock/gmock.h>

#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>

namespace shardlens {
namespace {

TEST(RecentFiles, KeepsTheNewestSix) {
  const QTemporaryDir folder;
  QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder.path());
  {
    RecentFiles recent(nullptr);
    for (const int run : {0, 1, 2, 3, 4, 5, 6, 2}) {
      recent.add(QStringLiteral("/runs/%1.shardlens").arg(run));
    }
  }
  RecentFiles recent(nullptr);
  recent.load();
  QStringList names;
  for (const QAction* action : recent.actions()) {
    names << action->text();
  }
  EXPECT_EQ(names.join(u' '),
            QStringLiteral("runs/2.shardlens runs/6.shardlens runs/5.shardlens runs/4.shardlens "
                           "runs/3.shardlens runs/1.shardlens"));
  EXPECT_EQ(recent.actions().at(1)->toolTip(), QStringLiteral("/runs/6.shardlens"));
  QSignalSpy requested(&recent, &RecentFiles::pathRequested);
  recent.actions().at(1)->trigger();
  ASSERT_EQ(requested.size(), 1);
  EXPECT_EQ(requested[0][0].toString(), QStringLiteral("/runs/6.shardlens"));
}

}  // namespace
}  // namespace shardlens
