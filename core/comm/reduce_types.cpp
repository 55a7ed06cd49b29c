#include "core/comm/reduce_types.h"

namespace shardlens {

std::optional<kernels::ElementType> kernelElements(at::ScalarType type) {
  using kernels::ElementType;
  switch (type) {
    case at::kHalf:
      return ElementType::Float16;
    case at::kBFloat16:
      return ElementType::BFloat16;
    case at::kFloat:
      return ElementType::Float32;
    case at::kDouble:
      return ElementType::Float64;
    case at::kComplexFloat:
      return ElementType::Complex64;
    case at::kComplexDouble:
      return ElementType::Complex128;
    case at::kLong:
      return ElementType::Int64;
    case at::kInt:
      return ElementType::Int32;
    case at::kShort:
      return ElementType::Int16;
    case at::kChar:
      return ElementType::Int8;
    case at::kByte:
      return ElementType::UInt8;
    case at::kBool:
      return ElementType::Bool;
    default:
      return std::nullopt;
  }
}

kernels::ReduceOp kernelOp(ReduceOp op) {
  switch (op) {
    case ReduceOp::Sum:
      return kernels::ReduceOp::Sum;
    case ReduceOp::Avg:
      return kernels::ReduceOp::Avg;
    case ReduceOp::Min:
      return kernels::ReduceOp::Min;
    case ReduceOp::Max:
      return kernels::ReduceOp::Max;
    case ReduceOp::Product:
      return kernels::ReduceOp::Product;
    case ReduceOp::Band:
      return kernels::ReduceOp::Band;
    case ReduceOp::Bor:
      return kernels::ReduceOp::Bor;
    case ReduceOp::Bxor:
      return kernels::ReduceOp::Bxor;
    case ReduceOp::PremulSum:
      return kernels::ReduceOp::PremulSum;
  }
  return kernels::ReduceOp::Sum;  // there is no other
}

}  // namespace shardlens
