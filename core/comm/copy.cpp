#include "core/comm/copy.h"

#include <ATen/ATen.h>

namespace shardlens {

void copyInto(const at::Tensor& to, const at::Tensor& from) {
  if (to.numel() == 0) return;
  to.copy_(from);
}

void copyAll(const std::vector<Copy>& copies) {
  for (const auto& copy : copies) copyInto(copy.to, copy.from);
}

}  // namespace shardlens
