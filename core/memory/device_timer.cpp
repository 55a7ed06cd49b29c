#include "core/memory/device_timer.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

namespace shardlens {
namespace {

c10::Stream currentOn(c10::Device device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device);
}

// The events that no timer uses, by device, because an event stays on the device of its first
// stream. Thread-safe.
class Events {
 public:
  // Never destroyed, because a device may not exist any more by then.
  static Events& shared() {
    static auto* events = new Events();
    return *events;
  }

  c10::Event take(c10::Device device) {
    const std::lock_guard lock(mutex_);
    auto& some = free_[{device.type(), device.index()}];
    if (some.empty()) {
      return {device.type(), c10::EventFlag::BACKEND_DEFAULT};  // this flag enables timing
    }
    auto event = std::move(some.back());
    some.pop_back();
    return event;
  }
  void giveBack(c10::Event event) {
    const std::lock_guard lock(mutex_);
    free_[{event.device_type(), event.device_index()}].push_back(std::move(event));
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<c10::DeviceType, c10::DeviceIndex>, std::vector<c10::Event>> free_;
};

}  // namespace

DeviceTimer::DeviceTimer(const std::vector<c10::Device>& devices) {
  for (const auto& device : devices) {
    const auto isThis = [&](const Watched& watched) { return watched.begin.device() == device; };
    const bool isNone = device.is_cpu() || device.is_meta();
    if (isNone || std::any_of(watched_.begin(), watched_.end(), isThis)) continue;
    auto& events = Events::shared();
    watched_.push_back({events.take(device), events.take(device)});
    watched_.back().begin.record(currentOn(device));
  }
}

// The end's event may still be queued. It is recorded again only by a later timer, which is queued
// after it.
DeviceTimer::~DeviceTimer() {
  for (auto& [begin, end] : watched_) {
    Events::shared().giveBack(std::move(begin));
    if (end.was_marked_for_recording()) Events::shared().giveBack(std::move(end));
  }
}

void DeviceTimer::stop() {
  for (auto& [begin, end] : watched_) end.record(currentOn(begin.device()));
}

std::optional<std::chrono::nanoseconds> DeviceTimer::read(Wait wait) {
  if (watched_.empty()) return std::nullopt;
  std::chrono::duration<double, std::milli> longest(0);
  for (auto& [begin, end] : watched_) {
    if (wait == Wait::Yes) {
      end.synchronize();
    } else if (!end.query()) {
      return std::nullopt;
    }
    longest = std::max(longest, std::chrono::duration<double, std::milli>(begin.elapsedTime(end)));
  }
  return std::chrono::round<std::chrono::nanoseconds>(longest);
}

}  // namespace shardlens
