#pragma once

#include <ATen/core/Tensor.h>

namespace shardlens {

// Note [Memory of large results]
// torch's caching allocator asks CUDA for each block of kLargeOnGpu bytes and more that no freed
// block can hold. That takes 0.1 ms and more, and results of a scenario stay alive, so that there
// are no freed blocks. reserveAfter() therefore lets the allocator cache one block for many results
// ahead, from which it cuts the next ones. It is part of torch's cache: torch uses it for any
// tensor, and releases it when memory is short.

// The size from which the caching allocator cuts no block out of a larger one of its own choice.
inline constexpr std::size_t kLargeOnGpu = std::size_t{10} << 20;

// Notes the memory of a tensor. If it is large, on a GPU and outside of all memory that was noted
// or reserved before, has the allocator cache as much as that in total: at least 64 MiB, at most 1
// GiB and a quarter of the GPU's free memory. Does nothing in a build without CUDA kernels.
// Thread-safe.
void reserveAfter(const at::Tensor& tensor);

}  // namespace shardlens
