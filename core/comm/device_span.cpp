#include "core/comm/device_span.h"

#include "core/memory/device_timer.h"

#include <exception>
#include <vector>

namespace shardlens {

DeviceSpan::DeviceSpan(Recorder& recorder, const Communicator& comm, const Event& event)
    : span_(recorder, event) {
  if (!recorder.recordsTimes() || comm.deviceType() == at::kMeta) return;
  std::vector<c10::Device> devices;
  for (const int rank : comm.hosted()) devices.push_back(comm.device(rank));
  auto timer = std::make_shared<DeviceTimer>(devices);
  if (timer->isTiming()) timer_ = std::move(timer);
}

// Ignores errors, because a failed GPU reports its error again to the next call.
DeviceSpan::~DeviceSpan() {
  if (timer_ == nullptr) return;
  try {
    timer_->stop();
    span_.measuredBy([timer = timer_](Recorder::Wait wait) {
      const bool waits = wait == Recorder::Wait::Yes;
      return timer->read(waits ? DeviceTimer::Wait::Yes : DeviceTimer::Wait::No);
    });
  } catch (const std::exception&) {
  }
}

}  // namespace shardlens
