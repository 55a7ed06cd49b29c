#pragma once

#include "core/comm/communicator.h"
#include "core/trace/recorder/recorder.h"

#include <memory>

namespace shardlens {

class DeviceTimer;

// A span of a recording, open as long as this object lives. If a sink requests times and the hosted
// ranks are on GPUs, these measure the duration, from their current streams; nothing waits for them
// before the recorder reads the duration. Otherwise the recorder's clock does.
class DeviceSpan {
 public:
  DeviceSpan(Recorder& recorder, const Communicator& comm, const Event& event);
  ~DeviceSpan();
  DeviceSpan(const DeviceSpan&) = delete;
  DeviceSpan& operator=(const DeviceSpan&) = delete;

 private:
  Span span_;
  std::shared_ptr<DeviceTimer> timer_;  // null if no GPU is timed
};

}  // namespace shardlens
