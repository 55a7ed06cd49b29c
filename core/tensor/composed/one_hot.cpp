#include "core/tensor/composed/one_hot.h"

#include "core/base/refusal.h"
#include "core/tensor/composed/register_composed.h"
#include "core/tensor/distribute.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/id_check.h"

#include <ATen/ATen.h>
#include <ATen/ops/one_hot_native.h>
#include <fmt/core.h>

#include <algorithm>

namespace shardlens {
namespace {

at::Tensor oneHot(const at::Tensor& ids, std::int64_t classes) {
  const bool counts = classes == -1;  // -1: as many classes as the largest id requires
  if (!isDTensor(ids) || ids.scalar_type() != at::kLong || (counts && ids.numel() == 0)) {
    return at::native::one_hot(ids, classes);  // throws in libtorch's words
  }
  if (!counts && classes < 1) {
    throw Refusal(
        fmt::format("aten.one_hot: got {} classes, expected one or more, or -1", classes));
  }
  if (counts) classes = std::max<std::int64_t>(ids.max().item<std::int64_t>() + 1, 1);
  const auto& impl = dtensorImpl(ids);
  refuseBadIds("aten.one_hot", impl, classes);
  const auto all = at::arange(classes, at::kLong);
  const auto everywhere =
      distribute(impl.sharedRuntime(), all, Placements(impl.spec().placements.size(), Replicate{}));
  return at::eq(ids.unsqueeze(-1), everywhere).to(at::kLong);
}

}  // namespace

void registerOneHot() { registerComposed("one_hot", TORCH_FN(oneHot)); }

}  // namespace shardlens
