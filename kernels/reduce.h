#pragma once

#include <cstdint>
#include <optional>

namespace shardlens::kernels {

// The element types that the reductions distinguish.
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

// Returns true if reduceLoops() supports this operation on this type.
bool isReducible(ElementType type, ReduceOp op);

// The loops of a reduction for one type and operation, over contiguous elements. Outputs must not
// overlap inputs. Counts are in elements; `factor` is used by PremulSum only.
struct ReduceLoops {
  // Size of an accumulator. Only Avg of integers and of 16-bit floats uses a wider type than the
  // element.
  std::int64_t accumulatorBytes;
  // Converts the first addend to an accumulator; null if the addend already is one.
  void (*start)(void* accumulator, const void* addend, std::int64_t count, double factor);
  // Adds one addend to an accumulator and writes the new accumulator to `result`.
  void (*add)(void* result, const void* accumulator, const void* addend, std::int64_t count,
              double factor);
  // Converts an accumulator of `addendCount` addends to elements; null if it already is one.
  void (*finish)(void* result, const void* accumulator, std::int64_t count,
                 std::int64_t addendCount);
};

// Returns the loops, or nullopt if the type does not support the operation: Min and Max of complex
// numbers, bitwise operations of other types than integers and bool, and PremulSum of integers and
// bool.
std::optional<ReduceLoops> reduceLoops(ElementType type, ReduceOp op);

}  // namespace shardlens::kernels
