#pragma once

#include <QSettings>

namespace shardlens {

// What the window remembers between two runs.
inline QSettings settings() {
  return QSettings(QStringLiteral("Shardlens"), QStringLiteral("Shardlens"));
}

}  // namespace shardlens
