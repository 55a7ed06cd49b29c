#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>

namespace shardlens {

// A tensor for results, its elements still to be written. The system hands out large blocks page by
// page, at first touch, which takes several times as long as filling them: so large blocks that
// tensors let go of are kept for the next ones of that size, up to a limit, and the longest unused
// go first. Small ones, and those of other devices, are libtorch's.
at::Tensor emptyBuffer(at::IntArrayRef shape, const at::TensorOptions& options);

inline constexpr std::size_t kPooledFrom = std::size_t{1} << 20;
inline constexpr std::size_t kKeptAtMost = std::size_t{1} << 30;

// What is kept for later, in bytes.
std::size_t keptBytes();

}  // namespace shardlens
