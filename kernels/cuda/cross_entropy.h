#pragma once

#include "kernels/cross_entropy.h"
#include "kernels/cuda/stream.h"

namespace shardlens::kernels::cuda {

// The functions of kernels/cross_entropy.h for pointers of the current GPU, queued on a stream of
// it; the target's runs are in the processor's memory. Sums are made in another order than there,
// but always in the same.

void sumRows(const LogitShard& shard, const LossTarget& target, RowRange rows, const RowSums& out,
             Stream stream);

void gradRows(const LogitShard& shard, const LossTarget& target, RowRange rows, const RowSums& sums,
              const LossGrads& grads, void* out, Stream stream);

}  // namespace shardlens::kernels::cuda
