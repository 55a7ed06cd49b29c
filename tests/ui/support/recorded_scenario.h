#pragma once

#include <QString>
#include <QStringList>

namespace shardlens {

// Returns the path of a scenario of the gallery.
QString galleryScenario(const char* name);
// Returns the path of a recording of the scenario. The engine runs it, with these options, only at
// the first call in the process; later calls for the same text and file name ignore the options.
// The file is removed when the process ends.
QString recordingOf(const QString& scenario, const QStringList& options = {});

}  // namespace shardlens
