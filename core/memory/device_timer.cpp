#include "core/memory/device_timer.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>

namespace shardlens {
namespace {

// Returns an event recorded on the device's current stream.
c10::Event now(c10::Device device) {
  c10::Event event(device.type(), c10::EventFlag::BACKEND_DEFAULT);  // this flag enables timing
  event.record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
  return event;
}

}  // namespace

DeviceTimer::DeviceTimer(const std::vector<c10::Device>& devices) {
  for (const auto& device : devices) {
    const auto isThis = [&](const Watched& watched) { return watched.device == device; };
    const bool isNone = device.is_cpu() || device.is_meta();
    if (isNone || std::any_of(watched_.begin(), watched_.end(), isThis)) continue;
    watched_.push_back({device, now(device)});
  }
}

std::optional<std::chrono::nanoseconds> DeviceTimer::wait() {
  if (watched_.empty()) return std::nullopt;
  std::vector<c10::Event> ends;
  for (const auto& [device, begin] : watched_) ends.push_back(now(device));
  std::chrono::duration<double, std::milli> longest(0);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    ends[i].synchronize();
    const std::chrono::duration<double, std::milli> taken(watched_[i].begin.elapsedTime(ends[i]));
    longest = std::max(longest, taken);
  }
  return std::chrono::round<std::chrono::nanoseconds>(longest);
}

}  // namespace shardlens
