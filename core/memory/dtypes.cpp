#include "core/memory/dtypes.h"

#include "core/base/refusal.h"

#include <string>

namespace shardlens {
namespace {

using kernels::ElementType;
using kernels::FloatType;

struct Row {
  at::ScalarType scalar;
  DType dtype;
  ElementType element;
  std::optional<FloatType> floats = std::nullopt;
};

// In the order of DType, which scalarType() relies on.
constexpr Row kRows[] = {
    {at::kHalf, DType::Float16, ElementType::Float16, FloatType::Float16},
    {at::kBFloat16, DType::BFloat16, ElementType::BFloat16, FloatType::BFloat16},
    {at::kFloat, DType::Float32, ElementType::Float32, FloatType::Float32},
    {at::kDouble, DType::Float64, ElementType::Float64, FloatType::Float64},
    {at::kByte, DType::UInt8, ElementType::UInt8},
    {at::kChar, DType::Int8, ElementType::Int8},
    {at::kShort, DType::Int16, ElementType::Int16},
    {at::kInt, DType::Int32, ElementType::Int32},
    {at::kLong, DType::Int64, ElementType::Int64},
    {at::kBool, DType::Bool, ElementType::Bool},
    {at::kComplexFloat, DType::Complex64, ElementType::Complex64},
    {at::kComplexDouble, DType::Complex128, ElementType::Complex128},
};

constexpr bool isInOrderOfDType() {
  for (std::size_t i = 0; i < kDTypes; ++i) {
    if (kRows[i].dtype != static_cast<DType>(i)) return false;
  }
  return true;
}
static_assert(isInOrderOfDType(), "scalarType() finds a row by its number");

const Row* rowOf(at::ScalarType type) {
  for (const auto& row : kRows) {
    if (row.scalar == type) return &row;
  }
  return nullptr;
}

}  // namespace

at::ScalarType scalarType(DType dtype) { return kRows[static_cast<std::size_t>(dtype)].scalar; }

DType dtypeOf(at::ScalarType type) {
  if (const auto* row = rowOf(type); row != nullptr) return row->dtype;
  throw Refusal(std::string("element type ") + c10::toString(type) +
                " is not supported on sharded tensors");
}

std::optional<ElementType> kernelElements(at::ScalarType type) {
  const auto* row = rowOf(type);
  return row == nullptr ? std::nullopt : std::optional(row->element);
}

std::optional<FloatType> kernelFloats(at::ScalarType type) {
  const auto* row = rowOf(type);
  return row == nullptr ? std::nullopt : row->floats;
}

kernels::Ids kernelIds(const at::Tensor& ids) {
  const auto type = ids.scalar_type() == at::kInt ? kernels::IdType::Int32 : kernels::IdType::Int64;
  return {ids.const_data_ptr(), type, ids.numel()};
}

// The kernels do not include the model, so they declare the same enum in the same order.
kernels::ReduceOp kernelOp(ReduceOp op) {
  static_assert(
      static_cast<int>(ReduceOp::Sum) == static_cast<int>(kernels::ReduceOp::Sum) &&
      static_cast<int>(ReduceOp::Product) == static_cast<int>(kernels::ReduceOp::Product) &&
      static_cast<int>(ReduceOp::PremulSum) == static_cast<int>(kernels::ReduceOp::PremulSum));
  return static_cast<kernels::ReduceOp>(op);
}

}  // namespace shardlens
