#include "core/tensor/local/expect.h"

#include "core/base/refusal.h"
#include "core/model/placement.h"

#include <ATen/core/Reduction.h>
#include <fmt/core.h>

namespace shardlens {

void expectDims(const std::string& where, const at::Tensor& tensor, std::int64_t dims) {
  if (tensor.dim() == dims) return;
  throw Refusal(fmt::format("{}: got {} dimensions, expected {}", where, tensor.dim(), dims));
}

void expectShape(const std::string& where, const at::Tensor& tensor, at::IntArrayRef shape) {
  if (tensor.sizes() == shape) return;
  throw Refusal(where + ": got shape " + toText(tensor.sizes().vec()) + ", expected " +
                toText(shape.vec()));
}

void expectNumber(const std::string& where, const at::Tensor& tensor) {
  if (tensor.numel() == 1) return;
  throw Refusal(where + ": got shape " + toText(tensor.sizes().vec()) + ", expected one number");
}

void expectDType(const std::string& where, const at::Tensor& tensor, at::ScalarType dtype) {
  if (tensor.scalar_type() == dtype) return;
  throw Refusal(where + ": got " + c10::toString(tensor.scalar_type()) + ", expected " +
                c10::toString(dtype));
}

void expectReduction(const std::string& name, std::int64_t reduction) {
  if (reduction >= at::Reduction::None && reduction < at::Reduction::END) return;
  throw Refusal(fmt::format("{}: reduction: got {}, expected 0 (none), 1 (mean) or 2 (sum)", name,
                            reduction));
}

}  // namespace shardlens
