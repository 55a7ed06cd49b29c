#include "core/tensor/masking/mask_buffer.h"

#include "core/base/refusal.h"

#include <ATen/ATen.h>

namespace shardlens {
namespace {

// A buffer that a cache owns may hold the mask of another tensor. Throws libtorch's index error
// rather than Refusal, because MaskHold::applyBuffer() reports a Refusal as a released buffer.
void refuseOtherTensor(const at::Tensor& mask, const at::Tensor& tensor) {
  for (std::int64_t dim = 0; dim < mask.dim(); ++dim) {
    if (dim < tensor.dim() && mask.size(dim) == tensor.size(dim)) continue;
    TORCH_CHECK_INDEX(false, "The shape of the mask ", mask.sizes(), " at index ", dim,
                      " does not match the shape of the indexed tensor ", tensor.sizes(),
                      " at index ", dim, ": got a tensor of shape ", tensor.sizes(),
                      ", expected one whose first dimensions are ", mask.sizes());
  }
}

}  // namespace

void MaskBuffer::materialize(const Buffers& masks) {
  if (refcount_ > 0) {
    refuseUnshared();
    if (!holds(masks)) throw Refusal("MaskBuffer has been materialized with conflicting data");
  } else {
    data_ = masks;
  }
  ++refcount_;
}

void MaskBuffer::retain() {
  checkMaterialized();
  refuseUnshared();
  ++refcount_;
}

void MaskBuffer::apply(const Buffers& tensors) const {
  checkMaterialized();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    at::Tensor tensor = tensors[i];
    refuseOtherTensor(data_[i], tensor);
    tensor.index_put_({data_[i]}, at::zeros({}, tensor.options()));
  }
}

void MaskBuffer::release() {
  checkMaterialized();
  if (--refcount_ == 0) data_.clear();
}

bool MaskBuffer::holds(const Buffers& masks) const {
  if (data_.size() != masks.size()) return false;
  for (std::size_t i = 0; i < masks.size(); ++i) {
    if (data_[i].sizes() != masks[i].sizes()) return false;
    if (masks[i].is_meta()) continue;  // without data only the shapes are compared
    if (!at::equal(data_[i], masks[i])) return false;
  }
  return true;
}

void MaskBuffer::refuseUnshared() const {
  if (sharing_ == Sharing::None) throw Refusal("MaskBuffer has already been materialized");
}

void MaskBuffer::checkMaterialized() const {
  if (refcount_ == 0) throw Refusal("MaskBuffer has not been materialized");
}

}  // namespace shardlens
