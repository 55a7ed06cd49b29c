#pragma once

#include <cstdint>
#include <optional>

namespace shardlens::kernels {

enum class ElementType : std::uint8_t {
  Float16,
  BFloat16,
  Float32,
  Float64,
  Complex64,
  Complex128,
  Int64,
  Int32,
  Int16,
  Int8,
  UInt8,
  Bool,
};

enum class ReduceOp : std::uint8_t { Sum, Avg, Min, Max, Product, Band, Bor, Bxor, PremulSum };

// Whether elements of this type can be reduced so.
bool isReducible(ElementType type, ReduceOp op);

// The loops under a reduction, for one type and operation, over elements that lie one after
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

// None for what is not reducible.
std::optional<ReduceLoops> reduceLoops(ElementType type, ReduceOp op);

}  // namespace shardlens::kernels
