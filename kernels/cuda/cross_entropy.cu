#include "kernels/cuda/cross_entropy.h"
#include "kernels/cuda/loss_grads.h"
#include "kernels/cuda/loss_sums.h"
#include "kernels/cuda/stream_queue.h"

namespace shardlens::kernels::cuda {
namespace {

// The target with a copy of its runs in GPU memory.
struct RunsOnGpu {
  RunsOnGpu(const LossTarget& from, Stream stream)
      : runs(static_cast<std::size_t>(from.runCount) * sizeof(RowRange), stream), target(from) {
    runs.set(from.runs);
    target.runs = runs.as<RowRange>();
  }
  Scratch runs;
  LossTarget target;
};

}  // namespace

void sumRows(const LogitShard& shard, const LossTarget& target, RowRange rows, const RowSums& out,
             Stream stream) {
  if (rows.count <= 0) return;
  const RunsOnGpu onGpu(target, stream);
  StreamQueue queue{stream};
  sumRowsOn(queue, shard, onGpu.target, rows, out);
}

void gradRows(const LogitShard& shard, const LossTarget& target, RowRange rows, const RowSums& sums,
              const LossGrads& grads, void* out, Stream stream) {
  if (rows.count <= 0) return;
  const RunsOnGpu onGpu(target, stream);
  StreamQueue queue{stream};
  gradRowsOn(queue, shard, onGpu.target, rows, sums, grads, out);
}

}  // namespace shardlens::kernels::cuda
