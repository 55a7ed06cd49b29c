#include "core/tensor/composed/attention.h"

#include "core/tensor/distribute.h"
#include "core/tensor/dtensor.h"

#include <ATen/ATen.h>
#include <ATen/SDPBackend.h>
#include <ATen/ops/_fused_sdp_choice_native.h>
#include <ATen/ops/scaled_dot_product_attention_native.h>
#include <torch/library.h>

#include <limits>

namespace shardlens {
namespace {

// What is added to the scores of a query so that it looks at no later key.
at::Tensor noLaterKeys(const at::Tensor& query, const at::Tensor& key) {
  const auto& impl = dtensorImpl(query);
  const auto mask = at::full({query.size(-2), key.size(-2)},
                             -std::numeric_limits<double>::infinity(), query.scalar_type())
                        .triu(1);
  return distribute(impl.sharedRuntime(), mask,
                    Placements(impl.spec().placements.size(), Replicate{}));
}

// Whether libtorch has no kernel for it: that is told by shapes, strides and dtypes, and so alike
// on all ranks.
bool isComposed(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                double dropout, std::optional<double> scale, bool sharedHeads) {
  const auto way = at::native::_fused_sdp_choice_cpp(query, key, value, {}, dropout,
                                                     /*is_causal=*/true, scale, sharedHeads);
  return way == static_cast<std::int64_t>(at::SDPBackend::math);
}

at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                     const std::optional<at::Tensor>& mask, double dropout, bool causal,
                     std::optional<double> scale, bool sharedHeads) {
  if (!causal || mask || !isDTensor(query) ||
      !isComposed(query, key, value, dropout, scale, sharedHeads)) {
    return at::native::scaled_dot_product_attention(query, key, value, mask, dropout, causal, scale,
                                                    sharedHeads);
  }
  return at::native::scaled_dot_product_attention(query, key, value, noLaterKeys(query, key),
                                                  dropout, /*is_causal=*/false, scale, sharedHeads);
}

}  // namespace

void registerAttention() {
  static torch::Library differentiated(torch::Library::IMPL, "aten",
                                       c10::DispatchKey::AutogradPrivateUse1, __FILE__, __LINE__);
  static torch::Library inference(torch::Library::IMPL, "aten", c10::DispatchKey::PrivateUse1,
                                  __FILE__, __LINE__);
  for (auto* library : {&differentiated, &inference}) {
    library->impl("scaled_dot_product_attention", TORCH_FN(attention));
  }
}

}  // namespace shardlens
