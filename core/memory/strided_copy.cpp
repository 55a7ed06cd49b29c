#include "core/memory/strided_copy.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

// Returns the strides of a contiguous tensor of this shape.
c10::SmallVector<std::int64_t, 5> packedStrides(at::IntArrayRef sizes) {
  c10::SmallVector<std::int64_t, 5> strides(sizes.size());
  std::int64_t stride = 1;
  for (std::size_t d = sizes.size(); d-- > 0; stride *= sizes[d]) strides[d] = stride;
  return strides;
}

std::int64_t itemBytes(const at::Tensor& tensor) {
  return static_cast<std::int64_t>(tensor.element_size());
}

}  // namespace

bool isPlain(const at::Tensor& tensor) {
  return tensor.is_cpu() && tensor.layout() == at::kStrided && !tensor.is_conj() &&
         !tensor.is_neg() && tensor.has_storage() &&
         !tensor.key_set().has(c10::DispatchKey::PrivateUse1);
}

StridedCopy copyBetween(const at::Tensor& to, const at::Tensor& from) {
  return {from.sizes(), itemBytes(from), to.strides(), from.strides()};
}

StridedCopy copyToPacked(const at::Tensor& tensor) {
  return {tensor.sizes(), itemBytes(tensor), packedStrides(tensor.sizes()), tensor.strides()};
}

StridedCopy copyFromPacked(const at::Tensor& tensor) {
  return {tensor.sizes(), itemBytes(tensor), tensor.strides(), packedStrides(tensor.sizes())};
}

}  // namespace shardlens
