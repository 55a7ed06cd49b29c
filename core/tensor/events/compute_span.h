#pragma once

#include "core/memory/device_timer.h"
#include "core/tensor/runtime.h"

#include <optional>
#include <string>

namespace shardlens {

// The Compute event "local NAME" of the hosted ranks. While somebody wants times, it lasts as long
// as their GPUs compute, and is waited for; ranks on the processor have computed when it ends.
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
