#pragma once

#include <QString>

namespace shardlens {

// A large recording of a training: about 300,000 events, 70,000 tensors, 3,000 mask buffers, one of
// which is never released, and 2,000 entries of the strategy cache.
struct LongRun {
  static constexpr int kEntries = 2000;
  // Writes the recording. Throws std::runtime_error if the file cannot be closed.
  static void write(const QString& path);
};

}  // namespace shardlens
