#pragma once

#include <c10/core/Event.h>

#include <chrono>
#include <optional>
#include <vector>

namespace shardlens {

// A timer of the work that is queued on devices between two points, measured with device events.
// Only read(Wait::Yes) blocks. Timers reuse the events of earlier ones. Not thread-safe.
class DeviceTimer {
 public:
  // Starts timing on the current streams. Ignores duplicates, the CPU and meta devices.
  explicit DeviceTimer(const std::vector<c10::Device>& devices);
  ~DeviceTimer();
  DeviceTimer(const DeviceTimer&) = delete;
  DeviceTimer& operator=(const DeviceTimer&) = delete;

  // Returns true if a device is timed.
  bool isTiming() const { return !watched_.empty(); }
  // Stops timing, on the streams that are current now. Call it at most once.
  void stop();

  enum class Wait { No, Yes };
  // Returns the time of the slowest device. nullopt if no device is timed, or if a device has not
  // reached the end yet and `wait` is No. Requires stop().
  std::optional<std::chrono::nanoseconds> read(Wait wait);

 private:
  struct Watched {
    c10::Event begin;
    c10::Event end;
  };
  std::vector<Watched> watched_;
};

}  // namespace shardlens
