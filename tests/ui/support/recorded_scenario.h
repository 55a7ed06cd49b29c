#pragma once

#include <QString>
#include <QStringList>

namespace shardlens {

// Returns the path of a scenario of the gallery.
QString galleryScenario(const char* name);
// Returns the path of a recording of the scenario with these options. The engine runs it only at
// the first call.
QString recordingOf(const QString& scenario, const QStringList& options = {});

}  // namespace shardlens
