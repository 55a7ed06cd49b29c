#pragma once

#include "kernels/cuda/stream.h"
#include "kernels/strided_copy.h"

#include <cstdint>
#include <span>

namespace shardlens::kernels::cuda {

// A copy between two layouts and its start addresses. The layout must be possible (isPossible()).
struct StridedPiece {
  StridedCopy layout;
  void* to;
  const void* from;
};

// Copies all pieces, with one launch per 15 pieces of one word size and shape class: packs buffers
// to send, or unpacks received ones. No piece may write where another reads or writes. Throws
// std::runtime_error for an impossible layout.
void copyPieces(std::span<const StridedPiece> pieces, Stream stream);

// A copy of contiguous bytes.
struct BlockCopy {
  void* to;
  const void* from;
  std::int64_t bytes;
};

// Makes all copies, with one launch per 64 sources and 256 copies. Copies with the same source and
// size read it once. No copy may write where another reads or writes.
void copyBlocks(std::span<const BlockCopy> copies, Stream stream);

}  // namespace shardlens::kernels::cuda
