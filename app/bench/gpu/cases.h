#pragma once

#include "app/bench/gpu/gpu.h"

#include <cstdint>
#include <functional>
#include <string>

namespace shardlens::bench {

// What was measured: how long it took, and what it had to read and write at least.
struct Figure {
  std::string name;
  double nanoseconds;
  std::int64_t bytes;

  double gigabytesPerSecond() const { return static_cast<double>(bytes) / nanoseconds; }
};

using Tell = std::function<void(const Figure&)>;

// What other figures are compared with.
Figure measureCopy();
void measureLookups(const Tell& tell);
void measureGradients(const Tell& tell);
void measurePieces(const Tell& tell);
void measureReductions(const Tell& tell);
void measureLosses(const Tell& tell);

}  // namespace shardlens::bench
