#pragma once

#include "core/comm/device_span.h"
#include "core/tensor/runtime.h"

#include <string>

namespace shardlens {

// A Compute event "local NAME", open as long as this object lives. On GPUs the duration is theirs.
// The runtime must outlive it. Does nothing without sinks.
class ComputeSpan {
 public:
  ComputeSpan(Runtime& runtime, const std::string& name);

 private:
  DeviceSpan span_;
};

}  // namespace shardlens
