#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace shardlens {

// A copy of one tensor to several tensors of its shape and dtype.
struct Copy {
  std::vector<at::Tensor> to;
  at::Tensor from;
};

// Copies `from` to `to`. Both must have one shape and dtype (else throws CheckFailed), and must be
// the same memory or not overlap. Strided CPU tensors are copied directly, without autograd: small
// ones far faster than by Tensor::copy_, large ones by all threads. Other tensors go through
// Tensor::copy_, on GPUs queued on the current stream.
void copyInto(const at::Tensor& to, const at::Tensor& from);
// Makes several copies at once; those on a GPU share launches. No target may overlap another
// target, or a source other than itself. Requirements and completion are as for copyInto().
void copyAll(const std::vector<Copy>& copies);

}  // namespace shardlens
