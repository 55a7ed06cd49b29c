#pragma once

#include "kernels/cuda/stream.h"
#include "kernels/reduce.h"

#include <cstdint>
#include <span>

namespace shardlens::kernels::cuda {

// Makes each output the reduction of the terms in their order, in one pass, bit by bit as the loops
// of kernels/reduce.h do. All have so many elements that lie one after another; an output may be
// one of the terms, else they lie apart. At most 128 of either.
struct TermsOnGpu {
  std::span<const void* const> terms;
  std::span<void* const> outputs;
  ElementType type;
  std::int64_t count;
};
void reduceTerms(const TermsOnGpu& reduction, ReduceOp op, double factor, Stream stream);

}  // namespace shardlens::kernels::cuda
