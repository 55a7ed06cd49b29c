#pragma once

#include "kernels/cuda/stream.h"

#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>

namespace shardlens {

// Returns torch's current stream on this GPU. Returns null for the default stream.
kernels::cuda::Stream currentStream(at::Device gpu);

// A guard that makes a tensor's GPU the current device. stream() is torch's current stream there:
// work queued on it runs after torch's earlier work on the tensor and before torch's next work. For
// a CPU tensor it is null. The destructor restores the previous device. The tensor must be defined.
class GpuScope {
 public:
  explicit GpuScope(const at::Tensor& tensor);
  kernels::cuda::Stream stream() const { return stream_; }

 private:
  c10::DeviceGuard guard_;
  kernels::cuda::Stream stream_ = nullptr;
};

// Returns true if kernels can use the tensor's memory directly: strided, on CUDA, with
// storage, no lazy conjugation or negation, and not sharded. Returns false for an undefined tensor.
bool isPlainOnGpu(const at::Tensor& tensor);

}  // namespace shardlens
