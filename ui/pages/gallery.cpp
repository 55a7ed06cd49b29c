#include "ui/pages/gallery.h"

#include "core/trace/merge/trace_reader.h"
#include "ui/pages/resource_folder.h"
#include "ui/text/format.h"
#include "ui/text/program_text.h"

#include <QCoreApplication>
#include <QDir>
#include <QJsonArray>
#include <algorithm>

namespace shardlens {

namespace {

// Returns the text of the scenario. For a folder of recordings, it is the one that the recordings
// contain.
QString scenarioOf(const QFileInfo& info) {
  if (info.isDir()) {
    const auto reader = TraceReader::open(info.filesystemAbsoluteFilePath());
    return reader ? wholeText((*reader)->journal().meta("scenario")) : QString();
  }
  QFile file(info.absoluteFilePath());
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

// Returns "2×2".
QString meshOf(const QJsonObject& scenario) {
  QStringList sizes;
  for (const QJsonValue& size :
       scenario[QStringLiteral("mesh")].toObject()[QStringLiteral("shape")].toArray()) {
    sizes << QString::number(size.toInt());
  }
  return sizes.join(u'×');
}

QString aboutOf(const QJsonObject& scenario) {
  const QString mesh = meshOf(scenario);
  const auto steps = scenario[QStringLiteral("steps")].toArray().size();
  return steps == 0
             ? QCoreApplication::translate("Gallery", "a recording of %1 ranks").arg(mesh)
             : QCoreApplication::translate("Gallery", "%1 ranks · %2 steps").arg(mesh).arg(steps);
}

QString teachesOf(const QJsonObject& scenario) {
  const QString notes = scenario[QStringLiteral("notes")].toArray().at(0).toString();
  const auto end = notes.indexOf(QStringLiteral(". "));
  return end < 0 ? notes : notes.left(end + 1);
}

}  // namespace

QString pictureOf(const GalleryEntry& entry, ColourScheme scheme) {
  static const QString kFolder =
      resourceFolder(QStringLiteral("handbook/resources/pictures/gallery"),
                     QStringLiteral("resources/pictures/gallery"));
  return QStringLiteral("%1/%2%3.png")
      .arg(kFolder, QFileInfo(entry.path).completeBaseName().left(2),
           scheme == ColourScheme::Dark ? QStringLiteral("-dark") : QString());
}

int galleryIndex(const QString& path) {
  const auto& all = gallery();
  const QFileInfo file(path);
  const auto found = std::find_if(all.begin(), all.end(), [&](const GalleryEntry& entry) {
    return QFileInfo(entry.path) == file;
  });
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

std::vector<GalleryEntry> galleryIn(const QString& folder) {
  std::vector<GalleryEntry> entries;
  for (const QFileInfo& info :
       QDir(folder).entryInfoList({QStringLiteral("*.json")},
                                  QDir::Files | QDir::AllDirs | QDir::NoDotAndDotDot, QDir::Name)) {
    const QJsonObject scenario = parsedScenario(scenarioOf(info));
    const QString title = scenario[QStringLiteral("title")].toString();
    entries.push_back({title.isEmpty() ? info.completeBaseName() : title, aboutOf(scenario),
                       info.absoluteFilePath(), teachesOf(scenario)});
  }
  return entries;
}

const std::vector<GalleryEntry>& gallery() {
  static const auto kFound = [] {
    const QString folder =
        resourceFolder(QStringLiteral("gallery"), QStringLiteral("resources/gallery"));
    return folder.isEmpty() ? std::vector<GalleryEntry>() : galleryIn(folder);
  }();
  return kFound;
}

}  // namespace shardlens
