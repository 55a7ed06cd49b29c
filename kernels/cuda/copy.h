#pragma once

#include "kernels/cuda/stream.h"
#include "kernels/strided_copy.h"

#include <span>

namespace shardlens::kernels::cuda {

// A copy between two layouts and its start addresses. The layout must be possible (isPossible()).
struct StridedPiece {
  StridedCopy layout;
  void* to;
  const void* from;
};

// Copies all pieces, with one launch per 15 pieces: packs buffers to send, or unpacks received
// ones. No piece may write where another reads or writes. Throws std::runtime_error for an
// impossible layout.
void copyPieces(std::span<const StridedPiece> pieces, Stream stream);

}  // namespace shardlens::kernels::cuda
