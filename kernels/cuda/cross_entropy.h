#pragma once

#include "kernels/cross_entropy.h"
#include "kernels/cuda/stream.h"

namespace shardlens::kernels::cuda {

// The functions of kernels/cross_entropy.h for pointers on the current GPU, queued on a stream. The
// target's runs are in CPU memory. Sums are added in another order than on the CPU, but always in
// the same order, and exponentials of floats differ in the last bits. Throws std::runtime_error for
// 2^30 or more classes of a shard, and for CUDA errors.

void sumRows(const LogitShard& shard, const LossTarget& target, RowRange rows, const RowSums& out,
             Stream stream);

void gradRows(const LogitShard& shard, const LossTarget& target, RowRange rows, const RowSums& sums,
              const LossGrads& grads, void* out, Stream stream);

}  // namespace shardlens::kernels::cuda
