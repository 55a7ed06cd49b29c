#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <vector>

namespace shardlens {

// Copies between strided tensors of GPUs, which run together: one launch per GPU and 15 copies.
class CopiesOnGpu {
 public:
  // Adds a copy. Returns false for tensors that this class does not copy: not on one GPU, or with
  // too many dimensions; also in a build without CUDA kernels.
  bool add(const at::Tensor& to, const at::Tensor& from);
  // Queues the copies on torch's current streams. The tensors must live until then.
  void run() const;

 private:
  struct Copy {
    at::Tensor to;
    at::Tensor from;
  };
  std::map<at::DeviceIndex, std::vector<Copy>> copies_;
};

}  // namespace shardlens
