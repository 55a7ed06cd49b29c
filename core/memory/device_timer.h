#pragma once

#include <c10/core/Event.h>

#include <chrono>
#include <optional>
#include <vector>

namespace shardlens {

// Measures with device events how long devices take for the work that is queued between two points.
class DeviceTimer {
 public:
  // Starts timing on the current streams. Ignores duplicates, the CPU and meta devices.
  explicit DeviceTimer(const std::vector<c10::Device>& devices);

  // Stops timing and blocks until the timed work has run. Returns the time of the slowest device,
  // or nullopt if no device is timed.
  std::optional<std::chrono::nanoseconds> wait();

 private:
  struct Watched {
    c10::Device device;
    c10::Event begin;
  };
  std::vector<Watched> watched_;
};

}  // namespace shardlens
