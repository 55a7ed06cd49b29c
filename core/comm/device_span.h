#pragma once

#include "core/comm/communicator.h"
#include "core/trace/recorder/recorder.h"

#include <memory>

namespace shardlens {

class DeviceTimer;

// A span of a recording, open as long as this object lives. If a sink requests times and hosted
// ranks are on GPUs, device events on their current streams measure the duration. The destructor
// does not wait for them; the recorder reads the duration later. Otherwise the recorder's clock
// measures it. Does not throw for a failed GPU: the next call reports it. The recorder must outlive
// this object; `comm` is used by the constructor only.
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
