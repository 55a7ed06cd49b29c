#include "kernels/cuda/copy.h"
#include "kernels/cuda/stream_queue.h"
#include "kernels/cuda/strided_moves.h"

namespace shardlens::kernels::cuda {

void copyPieces(std::span<const StridedPiece> pieces, Stream stream) {
  StreamQueue queue{stream};
  copyPiecesOn(queue, pieces);
}

}  // namespace shardlens::kernels::cuda
