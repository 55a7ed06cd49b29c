#pragma once

#include "app/bench/gpu/gpu.h"

#include <cstdint>
#include <map>

namespace shardlens::bench {

// A timer of copies within the current device. A copy shows the time in which a kernel that moves
// as many bytes could run at best. Owns 2 GiB of device memory.
class CopyClock {
 public:
  // Allocates the memory. Throws std::runtime_error if the device has not enough.
  CopyClock();

  // Returns the nanoseconds of a copy that reads and writes `moved` bytes in total, half of them
  // each; the median of 11 measurements. Rounds down to 1 KiB, from 1 KiB to 2 GiB. Measures each
  // size once, blocking the caller, and returns the known time later.
  double nanosecondsOf(std::int64_t moved);

 private:
  Gpu gpu_;
  const char* from_;
  char* to_;
  std::map<std::int64_t, double> known_;  // by bytes of the copy
};

}  // namespace shardlens::bench
