#pragma once

#include <ATen/core/Tensor.h>

namespace shardlens::fake_cuda {

// How an operator uses a tensor. WriteThrough writes without mutable_data_ptr(), so that memory
// that is shared lazily is not copied first.
enum class Access { Read, Write, WriteThrough };

// Returns a CPU tensor with the memory of a tensor on a fake device; a CPU tensor itself. The view
// does not own the memory.
at::Tensor hostView(const at::Tensor& tensor, Access access);

}  // namespace shardlens::fake_cuda
