#pragma once

#include "kernels/cuda/stream.h"
#include "kernels/reduce.h"

#include <cstdint>
#include <span>

namespace shardlens::kernels::cuda {

// The addends (`terms`) of a reduction and the buffers that each receive its result. All have
// `count` contiguous elements. An output may be one of the addends; otherwise buffers must not
// overlap. The buffers are on the current GPU; the two lists of addresses are in CPU memory.
struct TermsOnGpu {
  std::span<const void* const> terms;
  std::span<void* const> outputs;
  ElementType type;
  std::int64_t count;
};
// Reduces the addends, in their order, into each output in one pass, bitwise as the loops of
// kernels/reduce.h. Throws std::runtime_error for none or more than 128 addends or outputs, and for
// an operation that the type does not support. Queues the work and returns. No elements means no
// work.
void reduceTerms(const TermsOnGpu& reduction, ReduceOp op, double factor, Stream stream);

}  // namespace shardlens::kernels::cuda
