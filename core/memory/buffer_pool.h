#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>

namespace shardlens {

// Returns an uninitialised tensor. CPU tensors of at least kPooledFrom bytes come from a pool that
// caches freed blocks of the same size. The first touch of new pages would take several times as
// long as filling them. The pool caches at most kKeptAtMost bytes and evicts the least recently
// used block first. Smaller tensors, and those of other devices, come from at::empty().
// Thread-safe.
at::Tensor emptyBuffer(at::IntArrayRef shape, const at::TensorOptions& options);

inline constexpr std::size_t kPooledFrom = std::size_t{1} << 20;
inline constexpr std::size_t kKeptAtMost = std::size_t{1} << 30;

// Returns the number of bytes that the pool caches now.
std::size_t keptBytes();

}  // namespace shardlens
