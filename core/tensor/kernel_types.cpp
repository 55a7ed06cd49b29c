#include "core/tensor/kernel_types.h"

namespace shardlens {

kernels::Ids kernelIds(const at::Tensor& ids) {
  const auto type = ids.scalar_type() == at::kInt ? kernels::IdType::Int32 : kernels::IdType::Int64;
  return {ids.const_data_ptr(), type, ids.numel()};
}

std::optional<kernels::FloatType> kernelFloats(at::ScalarType type) {
  switch (type) {
    case at::kHalf:
      return kernels::FloatType::Float16;
    case at::kBFloat16:
      return kernels::FloatType::BFloat16;
    case at::kFloat:
      return kernels::FloatType::Float32;
    case at::kDouble:
      return kernels::FloatType::Float64;
    default:
      return std::nullopt;
  }
}

}  // namespace shardlens
