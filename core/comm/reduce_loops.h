#pragma once

#include "core/comm/communicator.h"

#include <cstdint>
#include <optional>

namespace shardlens {

// The loops under a reduction, for one dtype and operation, over elements that lie one after
// another. What they write lies apart from what they read.
struct ReduceLoops {
  // An accumulator is wider than the elements where their sum might not fit, or would be rounded
  // too often.
  std::int64_t accumulatorBytes;
  // Makes an accumulator of the first term; null where that is one already.
  void (*start)(void* accumulator, const void* term, std::int64_t count, double factor);
  void (*add)(void* result, const void* accumulator, const void* term, std::int64_t count,
              double factor);
  // Makes elements of an accumulator of so many terms; null where they are that already.
  void (*finish)(void* result, const void* accumulator, std::int64_t count, std::int64_t terms);
};

// None for what is left to torch, to do or to refuse.
std::optional<ReduceLoops> reduceLoops(at::ScalarType type, Reduction reduction);

}  // namespace shardlens
