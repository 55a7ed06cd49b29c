#include "kernels/cuda/block_copies.h"
#include "kernels/cuda/copy.h"
#include "kernels/cuda/stream_queue.h"
#include "kernels/cuda/strided_moves.h"

namespace shardlens::kernels::cuda {

void copyPieces(std::span<const StridedPiece> pieces, Stream stream) {
  StreamQueue queue{stream};
  copyPiecesOn(queue, pieces);
}

void copyBlocks(std::span<const BlockCopy> copies, Stream stream) {
  StreamQueue queue{stream};
  copyBlocksOn(queue, copies);
}

}  // namespace shardlens::kernels::cuda
