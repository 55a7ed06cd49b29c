#pragma once

#include "core/memory/buffers.h"
#include "core/model/group_set.h"

namespace shardlens {

// Terms, and where their reduction in this order belongs: outputs of the same shape and dtype, each
// of which may be one of the terms, and of no other of the reductions that are done at once.
struct Terms {
  Buffers terms;
  Buffers outputs;
};

// One pass over the terms, by all threads where that is worth it, with nothing of full size in
// between. An average, and no other, is what it would be if no sum were too large for its type.
void reduceAll(const std::vector<Terms>& reductions, Reduction reduction);

// In one pass too, where all lie together on one GPU and its kernels know how: else it does nothing
// and returns false.
bool reduceOnGpu(const Terms& reduction, Reduction how);

// For what neither knows: other devices and dtypes, and memory in crumbs.
void reduceByTorch(const Terms& reduction, Reduction how);

}  // namespace shardlens
