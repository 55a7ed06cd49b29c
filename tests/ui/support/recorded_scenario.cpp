#include "tests/ui/support/recorded_scenario.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>

namespace shardlens {

QString galleryScenario(const char* name) {
  return QStringLiteral(SHARDLENS_GALLERY "/") + QLatin1String(name);
}

QString recordingOf(const QString& scenario, const QStringList& options) {
  static const QTemporaryDir folder;
  const QString file =
      folder.filePath(QFileInfo(scenario).completeBaseName() + QStringLiteral(".shardlens"));
  if (!QFile::exists(file)) {
    QProcess engine;
    engine.start(QStringLiteral(SHARDLENS_ENGINE),
                 QStringList{QStringLiteral("run"), QStringLiteral("--record"), file} + options +
                     QStringList{scenario});
    EXPECT_TRUE(engine.waitForFinished(60000)) << qPrintable(scenario);
  }
  return file;
}

}  // namespace shardlens
