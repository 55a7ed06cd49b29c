#pragma once

#include <c10/core/Event.h>

#include <chrono>
#include <optional>
#include <vector>

namespace shardlens {

// The time that devices take, by their own clocks, for what torch is given to compute on them
// between two points.
class DeviceTimer {
 public:
  // From here on. A device that is named twice is one, and the processor is none.
  explicit DeviceTimer(const std::vector<c10::Device>& devices);

  // To here: waits until all of it is done. The device's that took longest; none where there is no
  // device.
  std::optional<std::chrono::nanoseconds> wait();

 private:
  struct Watched {
    c10::Device device;
    c10::Event begin;
  };
  std::vector<Watched> watched_;
};

}  // namespace shardlens
