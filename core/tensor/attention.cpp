#include "core/tensor/attention.h"

#include "core/tensor/distribute.h"
#include "core/tensor/sharded_tensor.h"

#include <ATen/ATen.h>
#include <ATen/ops/scaled_dot_product_attention_native.h>
#include <torch/library.h>

#include <limits>

namespace shardlens {
namespace {

// What is added to the scores of a query so that it looks at no later key.
at::Tensor noLaterKeys(const at::Tensor& query, const at::Tensor& key) {
  const auto& impl = shardedImpl(query);
  const auto mask = at::full({query.size(-2), key.size(-2)},
                             -std::numeric_limits<double>::infinity(), query.scalar_type())
                        .triu(1);
  return distribute(impl.sharedRuntime(), mask,
                    Placements(impl.spec().placements.size(), Replicate{}));
}

at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                     const std::optional<at::Tensor>& mask, double dropout, bool causal,
                     std::optional<double> scale, bool sharedHeads) {
  const bool composed = dropout > 0 || query.dim() != 4;
  if (!causal || !composed || mask || !isSharded(query)) {
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
