#include "core/comm/nccl/call_streams.h"

#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>

namespace shardlens {
namespace {

c10::Stream currentOn(at::Device device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device);
}

}  // namespace

CallStreams::CallStreams(const std::vector<at::Device>& devices) {
  for (const auto& device : devices) {
    const auto isThis = [&](const c10::Stream& stream) { return stream.device() == device; };
    if (device.is_cpu() || std::any_of(streams_.begin(), streams_.end(), isThis)) continue;
    streams_.push_back(currentOn(device));
  }
}

void CallStreams::queue(const std::function<void()>& work) const {
  {
    const c10::MultiStreamGuard guard(streams_);
    work();
  }
  for (const auto& stream : streams_) {
    const auto current = currentOn(stream.device());
    if (current == stream) continue;
    c10::Event done(stream.device_type());
    done.record(stream);
    done.block(current);
  }
}

}  // namespace shardlens
