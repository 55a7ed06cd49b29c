#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>

namespace shardlens {

// Returns an uninitialised, contiguous tensor. CPU tensors of at least kPooledFrom bytes come from
// a pool that caches freed blocks by size (rounded up to 2 MiB), because the first touch of new
// pages takes several times as long as filling them. Freeing the last tensor of a block returns the
// block to the pool. The pool caches at most kKeptAtMost bytes and frees the least recently used
// block first. Smaller tensors, and those of other devices, come from at::empty(). Throws
// std::bad_alloc if memory is short. Thread-safe.
at::Tensor emptyBuffer(at::IntArrayRef shape, const at::TensorOptions& options);

inline constexpr std::size_t kPooledFrom = std::size_t{1} << 20;
inline constexpr std::size_t kKeptAtMost = std::size_t{1} << 30;

// Returns the number of bytes that the pool caches now, without the blocks in use. Thread-safe.
std::size_t keptBytes();

}  // namespace shardlens
