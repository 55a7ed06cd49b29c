#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace shardlens {

// A copy of one tensor to several tensors of its shape and dtype.
struct Copy {
  std::vector<at::Tensor> to;
  at::Tensor from;
};

// Copies `from` to `to`, which has its shape and dtype and must either be the same memory or not
// overlap it. Strided CPU tensors are copied directly, without autograd: small ones far faster than
// by Tensor::copy_, large ones by all threads. Other tensors go through Tensor::copy_.
void copyInto(const at::Tensor& to, const at::Tensor& from);
// Makes several copies at once; those on a GPU run in one launch. No target may overlap another
// target or source.
void copyAll(const std::vector<Copy>& copies);

}  // namespace shardlens
