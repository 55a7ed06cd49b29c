#include "core/tensor/mask_buffer.h"

#include "core/tensor/refusal.h"

#include <ATen/ATen.h>

namespace shardlens {

void MaskBuffer::materialize(const Buffers& masks) {
  if (refcount_ == 0) {
    data_ = masks;
  } else if (sharing_ == Sharing::None) {
    throw Refusal("MaskBuffer has already been materialized");
  } else if (!holds(masks)) {
    throw Refusal("MaskBuffer has been materialized with conflicting data");
  }
  ++refcount_;
}

void MaskBuffer::apply(const Buffers& tensors) const {
  checkMaterialized();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    at::Tensor tensor = tensors[i];
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
    if (!at::equal(data_[i], masks[i])) return false;
  }
  return true;
}

void MaskBuffer::checkMaterialized() const {
  if (refcount_ == 0) throw Refusal("MaskBuffer has not been materialized");
}

}  // namespace shardlens
