#include "kernels/cuda/reduce.h"
#include "kernels/cuda/reductions.h"
#include "kernels/cuda/stream_queue.h"

namespace shardlens::kernels::cuda {

void reduceTerms(const TermsOnGpu& reduction, ReduceOp op, double factor, Stream stream) {
  StreamQueue queue{stream};
  reduceTermsOn(queue, reduction, op, factor);
}

}  // namespace shardlens::kernels::cuda
