#pragma once

#include "core/memory/device_timer.h"
#include "core/tensor/runtime.h"

#include <optional>
#include <string>

namespace shardlens {

// A Compute event "local NAME", open as long as this object lives. If a sink requests times, the
// destructor waits for the hosted ranks' GPUs, and the duration is theirs.
class ComputeSpan {
 public:
  ComputeSpan(Runtime& runtime, const std::string& name);
  ~ComputeSpan();
  ComputeSpan(const ComputeSpan&) = delete;
  ComputeSpan& operator=(const ComputeSpan&) = delete;

 private:
  Span span_;
  std::optional<DeviceTimer> timer_;
};

}  // namespace shardlens
