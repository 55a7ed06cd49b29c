#include "ui/pages/gallery.h"

#include "ui/text/program_text.h"

#include <QCoreApplication>
#include <QDir>
#include <QJsonArray>

namespace shardlens {

std::vector<GalleryEntry> galleryIn(const QString& folder) {
  std::vector<GalleryEntry> entries;
  const QDir dir(folder);
  for (const QFileInfo& info :
       dir.entryInfoList({QStringLiteral("*.json")}, QDir::Files, QDir::Name)) {
    QFile file(info.absoluteFilePath());
    if (!file.open(QIODevice::ReadOnly)) {
      continue;
    }
    const QString text = QString::fromUtf8(file.readAll());
    const QJsonObject json = parsedScenario(text);
    const QString title = json[QStringLiteral("title")].toString();
    QStringList sizes;
    for (const QJsonValue& size :
         json[QStringLiteral("mesh")].toObject()[QStringLiteral("shape")].toArray()) {
      sizes << QString::number(size.toInt());
    }
    const auto steps = json[QStringLiteral("steps")].toArray().size();
    entries.push_back({title.isEmpty() ? info.completeBaseName() : title,
                       QCoreApplication::translate("Gallery", "mesh %1 · %2 steps")
                           .arg(sizes.join(u'×'))
                           .arg(steps),
                       info.absoluteFilePath()});
  }
  return entries;
}

std::vector<GalleryEntry> gallery() {
  const QString program = QCoreApplication::applicationDirPath();
  for (const char* place : {"/../share/shardlens/gallery", "/../../resources/gallery"}) {
    const QString folder = QDir::cleanPath(program + QLatin1String(place));
    if (QDir(folder).exists()) {
      return galleryIn(folder);
    }
  }
#ifdef SHARDLENS_GALLERY
  return galleryIn(QStringLiteral(SHARDLENS_GALLERY));
#else
  return {};
#endif
}

}  // namespace shardlens
