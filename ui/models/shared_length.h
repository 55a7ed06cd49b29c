#pragma once

#include <QString>
#include <algorithm>

namespace shardlens {

// How many characters two texts begin with alike.
inline qsizetype sharedLength(const QString& one, const QString& other) {
  const auto apart = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  return apart.first - one.begin();
}

}  // namespace shardlens
