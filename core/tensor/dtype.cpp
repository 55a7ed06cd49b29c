#include "core/tensor/dtype.h"

#include "core/tensor/refusal.h"

#include <string>

namespace shardlens {
namespace {

struct Pair {
  DType dtype;
  at::ScalarType scalar;
};

constexpr Pair kPairs[] = {{DType::Float16, at::kHalf},  {DType::BFloat16, at::kBFloat16},
                           {DType::Float32, at::kFloat}, {DType::Float64, at::kDouble},
                           {DType::UInt8, at::kByte},    {DType::Int8, at::kChar},
                           {DType::Int16, at::kShort},   {DType::Int32, at::kInt},
                           {DType::Int64, at::kLong},    {DType::Bool, at::kBool}};

}  // namespace

at::ScalarType scalarType(DType dtype) { return kPairs[static_cast<std::size_t>(dtype)].scalar; }

DType dtypeOf(at::ScalarType type) {
  for (const auto& pair : kPairs) {
    if (pair.scalar == type) return pair.dtype;
  }
  throw Refusal(std::string("element type ") + c10::toString(type) +
                " is not supported on sharded tensors");
}

}  // namespace shardlens
