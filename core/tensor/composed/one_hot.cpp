#include "core/tensor/composed/one_hot.h"

#include "core/base/refusal.h"
#include "core/tensor/distribute.h"
#include "core/tensor/dtensor.h"
#include "core/tensor/id_check.h"

#include <ATen/ATen.h>
#include <ATen/ops/one_hot_native.h>
#include <fmt/core.h>
#include <torch/library.h>

#include <algorithm>

namespace shardlens {
namespace {

at::Tensor oneHot(const at::Tensor& ids, std::int64_t classes) {
  const bool counts = classes == -1;  // as many as the largest id asks for
  if (!isDTensor(ids) || ids.scalar_type() != at::kLong || (counts && ids.numel() == 0)) {
    return at::native::one_hot(ids, classes);  // with its words for what it refuses
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

void registerOneHot() {
  static torch::Library differentiated(torch::Library::IMPL, "aten",
                                       c10::DispatchKey::AutogradPrivateUse1, __FILE__, __LINE__);
  static torch::Library inference(torch::Library::IMPL, "aten", c10::DispatchKey::PrivateUse1,
                                  __FILE__, __LINE__);
  for (auto* library : {&differentiated, &inference}) {
    library->impl("one_hot", TORCH_FN(oneHot));
  }
}

}  // namespace shardlens
