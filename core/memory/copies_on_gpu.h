#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <vector>

namespace shardlens {

// A batch of copies between strided tensors of GPUs. Up to 15 copies on a GPU share one launch.
class CopiesOnGpu {
 public:
  // Adds a copy and retains both tensors. Returns false for tensors that this class does not copy:
  // not on one GPU, or with too many dimensions; also in a build without CUDA kernels. The tensors
  // must have one shape and dtype. No target may overlap another target or source.
  bool add(const at::Tensor& to, const at::Tensor& from);
  // Queues all copies on torch's current streams and returns. Does nothing without copies.
  void run() const;

 private:
  struct Copy {
    at::Tensor to;
    at::Tensor from;
  };
  std::map<at::DeviceIndex, std::vector<Copy>> copies_;
};

}  // namespace shardlens
