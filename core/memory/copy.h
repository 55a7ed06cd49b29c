#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace shardlens {

// One tensor to be copied to others of its shape and dtype.
struct Copy {
  std::vector<at::Tensor> to;
  at::Tensor from;
};

// Makes `to` equal to `from`, which has its shape and dtype and is the same memory or lies apart.
// For small pieces many times cheaper than Tensor::copy_; large ones are shared by all threads.
// Not seen by autograd.
void copyInto(const at::Tensor& to, const at::Tensor& from);
// The same for many at once; none reads what another writes.
void copyAll(const std::vector<Copy>& copies);

}  // namespace shardlens
