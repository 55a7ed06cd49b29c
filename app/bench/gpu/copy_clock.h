#pragma once

#include "app/bench/gpu/gpu.h"

#include <cstdint>
#include <map>

namespace shardlens::bench {

// Measures copies within the current device: the time in which a kernel that moves as many bytes
// could run at best. Owns 2 GiB of device memory.
class CopyClock {
 public:
  // Allocates the memory. Throws std::runtime_error if the device has not enough.
  CopyClock();

  // Returns the nanoseconds of a copy that reads and writes `moved` bytes in total, at most 2 GiB.
  // Measures each size once.
  double nanosecondsOf(std::int64_t moved);

 private:
  Gpu gpu_;
  const char* from_;
  char* to_;
  std::map<std::int64_t, double> known_;  // by bytes of the copy
};

}  // namespace shardlens::bench
