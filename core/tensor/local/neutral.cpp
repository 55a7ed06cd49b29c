#include "core/tensor/local/neutral.h"

#include <ATen/ATen.h>
#include <ATen/Dispatch.h>

#include <limits>

namespace shardlens {

at::Scalar leastOf(at::ScalarType type) {
  if (!at::isIntegralType(type, /*includeBool=*/true)) return -std::numeric_limits<double>::infinity();
  return AT_DISPATCH_INTEGRAL_TYPES_AND(at::kBool, type, "leastOf", [] {
    return at::Scalar(std::numeric_limits<scalar_t>::lowest());
  });
}

at::Scalar greatestOf(at::ScalarType type) {
  if (!at::isIntegralType(type, /*includeBool=*/true)) return std::numeric_limits<double>::infinity();
  return AT_DISPATCH_INTEGRAL_TYPES_AND(at::kBool, type, "greatestOf", [] {
    return at::Scalar(std::numeric_limits<scalar_t>::max());
  });
}

at::Tensor withNeutral(const at::Tensor& part, const ReducedDims& reduced,
                       const at::Scalar& neutral) {
  auto shape = part.sizes().vec();
  for (const int dim : reduced.dims) {
    auto& size = shape[static_cast<std::size_t>(dim)];
    size = std::max<std::int64_t>(size, 1);
  }
  return part.sizes() == at::IntArrayRef(shape) ? part : at::full(shape, neutral, part.options());
}

}  // namespace shardlens
