#pragma once

#include <QString>
#include <QStringList>

namespace shardlens {

// A scenario of the gallery.
QString galleryScenario(const char* name);
// Has the engine run it, once, with these options, and gives the recording.
QString recordingOf(const QString& scenario, const QStringList& options = {});

}  // namespace shardlens
