#include "tests/ui/support/recorded_scenario.h"

#include <gtest/gtest.h>

#include <QCryptographicHash>
#include <QDir>
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
  QFile text(scenario);
  EXPECT_TRUE(text.open(QIODevice::ReadOnly)) << qPrintable(scenario);
  const auto content = QCryptographicHash::hash(text.readAll(), QCryptographicHash::Sha1).toHex();
  QDir(folder.path()).mkpath(QString::fromLatin1(content));
  const QString file =
      folder.filePath(QString::fromLatin1(content) + QLatin1Char('/') +
                      QFileInfo(scenario).completeBaseName() + QStringLiteral(".shardlens"));
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
