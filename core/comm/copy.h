#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace shardlens {

struct Copy {
  at::Tensor to;
  at::Tensor from;
};

// Makes `to` equal to `from`, which has its shape, lies elsewhere, and is on the same device. Much
// cheaper than Tensor::copy_ for small pieces, and done by all threads for large ones.
void copyInto(const at::Tensor& to, const at::Tensor& from);
// The same for many at once; none reads what another writes.
void copyAll(const std::vector<Copy>& copies);

}  // namespace shardlens
