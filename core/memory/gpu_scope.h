#pragma once

#include "kernels/cuda/stream.h"

#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>

namespace shardlens {

// The stream on which torch has a GPU compute now.
kernels::cuda::Stream currentStream(at::Device gpu);

// The GPU that a tensor is on is the current one while this lives; what is queued on its stream
// comes behind what torch has queued for the tensor, and before what torch queues next.
class GpuScope {
 public:
  explicit GpuScope(const at::Tensor& tensor);
  kernels::cuda::Stream stream() const { return stream_; }

 private:
  c10::DeviceGuard guard_;
  kernels::cuda::Stream stream_ = nullptr;
};

// Whether the kernels may see a tensor's memory as it is.
bool isPlainOnGpu(const at::Tensor& tensor);

}  // namespace shardlens
