#pragma once

#include "core/tensor/local/local_kernels.h"

#include <string_view>
#include <vector>

namespace shardlens {

struct NamedKernel {
  std::string_view name;
  LocalKernel kernel;
};

// One function a family, each in the file of its name.
std::vector<NamedKernel> embeddingKernels();
std::vector<NamedKernel> gatherKernels();

}  // namespace shardlens
