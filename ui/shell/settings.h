#pragma once

#include <QSettings>

namespace shardlens {

// Returns the settings of the program, which persist between runs.
inline QSettings settings() {
  return QSettings(QStringLiteral("Shardlens"), QStringLiteral("Shardlens"));
}

}  // namespace shardlens
