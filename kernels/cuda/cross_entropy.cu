#include "kernels/cuda/cross_entropy.h"
#include "kernels/cuda/loss_lanes.h"
#include "kernels/cuda/stream_queue.h"

namespace shardlens::kernels::cuda {
namespace {

// All threads of a block run the same rounds, because each round synchronises.
template <class T>
__global__ void __launch_bounds__(kThreads) sumRowsOf(const __grid_constant__ SumBlock<T> block) {
  using Sum = RowSum<Calculated<T>>;
  __shared__ alignas(16) unsigned char memory[kThreads * sizeof(Sum)];
  auto* shared = reinterpret_cast<Sum*>(memory);
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t teams = block.lanes.teams();
  for (std::int64_t first = blockIdx.x * teams; first < block.rows.count;
       first += gridDim.x * teams) {
    block.fill(first, thread, shared);
    for (int distance = block.lanes.lanes() / 2; distance > 0; distance /= 2) {
      __syncthreads();
      block.combine(distance, thread, shared);
    }
    block.finish(first, thread, shared);
    __syncthreads();
  }
}

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
  withLanes(shard, onGpu.target, nullptr, [&]<class T>(const LossLanes<T>& lanes) {
    const auto blocks = static_cast<unsigned>(shapeFor(rows.count, lanes.teams()).blocks);
    sumRowsOf<<<blocks, kThreads, 0, stream>>>(
        SumBlock<T>{lanes, rows, SumsOfRows<Calculated<T>>(out)});
    check(cudaGetLastError(), "sums of rows");
  });
}

void gradRows(const LogitShard& shard, const LossTarget& target, RowRange rows, const RowSums& sums,
              const LossGrads& grads, void* out, Stream stream) {
  if (rows.count <= 0) return;
  const RunsOnGpu onGpu(target, stream);
  StreamQueue queue{stream};
  gradRowsOn(queue, shard, onGpu.target, rows, sums, grads, out);
}

}  // namespace shardlens::kernels::cuda
