#pragma once

#include "tests/comm/forwarding.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <algorithm>

namespace shardlens {

// A device type with two devices that have a clock but no data. Every span takes 2.5 ms on the
// first device and 4 ms on the second. An event has completed once it or a later one was waited
// for.
class Clocks final : public c10::impl::DeviceGuardImplInterface {
 public:
  static constexpr auto kType = c10::DeviceType::MTIA;
  struct Event {
    bool isTimed;
    int number;
  };
  static inline int recorded = 0;
  static inline int come = 0;   // the last event that has completed
  static inline int waits = 0;  // for events
  static inline int made = 0;   // events

  c10::DeviceType type() const override { return kType; }
  c10::Device exchangeDevice(c10::Device device) const override { return device; }
  c10::Device getDevice() const override { return {kType, 0}; }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device device) const override {
    return c10::Stream(c10::Stream::DEFAULT, device);
  }
  c10::Stream exchangeStream(c10::Stream stream) const override { return stream; }
  c10::DeviceIndex deviceCount() const noexcept override { return 2; }

  void record(void** event, const c10::Stream&, const c10::DeviceIndex,
              const c10::EventFlag flag) const override {
    if (*event == nullptr) {
      *event = new Event{flag == c10::EventFlag::BACKEND_DEFAULT, 0};
      ++made;
    }
    static_cast<Event*>(*event)->number = ++recorded;
  }
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override {
    delete static_cast<Event*>(event);
  }
  bool queryEvent(void* event) const override { return static_cast<Event*>(event)->number <= come; }
  void synchronizeEvent(void* event) const override {
    ++waits;
    come = std::max(come, static_cast<Event*>(event)->number);
  }
  double elapsedTime(void* begin, void* end, const c10::DeviceIndex device) const override {
    const bool areTimed = static_cast<Event*>(begin)->isTimed && static_cast<Event*>(end)->isTimed;
    return areTimed ? 2.5 + 1.5 * device : -1;
  }
};

// Registers the device type, once per program.
inline const c10::impl::DeviceGuardImplRegistrar kClocks(Clocks::kType, new Clocks);

// A communicator whose ranks alternate between the two devices.
class OnClocks final : public Forwarding {
 public:
  using Forwarding::Forwarding;
  at::Device device(int rank) const override {
    return {Clocks::kType, static_cast<c10::DeviceIndex>(rank % 2)};
  }
};

}  // namespace shardlens
