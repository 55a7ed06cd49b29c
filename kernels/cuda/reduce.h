#pragma once

#include "kernels/cuda/stream.h"
#include "kernels/reduce.h"

#include <cstdint>
#include <span>

namespace shardlens::kernels::cuda {

// Writes the reduction of the terms, in their order, to each output in one pass, bitwise as the
// loops of kernels/reduce.h. All buffers have `count` contiguous elements. An output may be one of
// the terms; otherwise buffers must not overlap. Throws std::runtime_error for none or more than
// 128 terms or outputs, and for an unsupported operation.
struct TermsOnGpu {
  std::span<const void* const> terms;
  std::span<void* const> outputs;
  ElementType type;
  std::int64_t count;
};
void reduceTerms(const TermsOnGpu& reduction, ReduceOp op, double factor, Stream stream);

}  // namespace shardlens::kernels::cuda
