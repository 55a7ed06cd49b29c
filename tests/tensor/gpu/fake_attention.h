#pragma once

#include <torch/library.h>

namespace shardlens::fake_cuda {

// Registers fakes of a GPU's attention kernels, and of libtorch's choice of one.
void registerAttention(torch::Library& aten);

}  // namespace shardlens::fake_cuda
