#pragma once

#include "app/bench/gpu/gpu.h"

#include <cstdint>
#include <functional>
#include <string>

namespace shardlens::bench {

// A measurement.
struct Figure {
  std::string name;
  double nanoseconds;  // of one call
  std::int64_t bytes;  // that a call has to read and write at least

  double gigabytesPerSecond() const { return static_cast<double>(bytes) / nanoseconds; }
};

// Receives each figure once it is measured.
using Tell = std::function<void(const Figure&)>;

// Measures a copy of 1 GiB, whose bandwidth is the reference for all other figures. The functions
// in this header throw std::runtime_error if CUDA fails.
Figure measureCopy();
void measureLookups(const Tell& tell);
void measureGradients(const Tell& tell);
void measurePieces(const Tell& tell);
void measureReductions(const Tell& tell);
void measureLosses(const Tell& tell);

}  // namespace shardlens::bench
