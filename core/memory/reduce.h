#pragma once

#include "core/memory/buffers.h"
#include "core/model/group_set.h"

namespace shardlens {

// The addends of one reduction, reduced in this order, and the outputs that each receive the full
// result. All have one shape and dtype. An output may alias an addend of the same reduction, but
// not one of another reduction in the same call.
struct Terms {
  Buffers terms;
  Buffers outputs;
};

// Computes all reductions; the entry point of this header. Throws CheckFailed if one has no addends
// or no outputs, or their shapes or dtypes differ. On the CPU one pass over the addends, by all
// threads if large, allocates nothing of full size. Other reductions fall back to reduceOnGpu(),
// then to reduceByTorch(). Avg sums float16 and bfloat16 in float, and integers in int64, so their
// sums do not overflow. Other types are summed in their own type.
void reduceAll(const std::vector<Terms>& reductions, Reduction reduction);

// Computes the reduction in one pass if all buffers are contiguous on one GPU and a kernel supports
// it. Otherwise does nothing and returns false. Queued on torch's current stream. At most 128
// addends and 128 outputs. Requires an addend.
bool reduceOnGpu(const Terms& reduction, Reduction how);

// The fallback for other devices, dtypes and operations, and for strided tensors with many tiny
// rows. Allocates a full-size result. Requires an addend. Throws c10::Error for an operation that
// the dtype lacks.
void reduceByTorch(const Terms& reduction, Reduction how);

}  // namespace shardlens
