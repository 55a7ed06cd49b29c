#pragma once

#include "kernels/cuda/stream.h"
#include "kernels/strided_copy.h"

#include <span>

namespace shardlens::kernels::cuda {

// Where a copy between two layouts, which has to be possible, begins on both sides.
struct StridedPiece {
  StridedCopy layout;
  void* to;
  const void* from;
};

// Copies all of them, in a launch for every 15 pieces: to pack what is sent to several ranks, or to
// take what has come from them apart. None writes where another reads or writes.
void copyPieces(std::span<const StridedPiece> pieces, Stream stream);

}  // namespace shardlens::kernels::cuda
