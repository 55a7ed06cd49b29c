#include "core/tensor/composed/attention.h"

#include "core/tensor/composed/register_composed.h"
#include "core/tensor/distribute.h"
#include "core/tensor/dtensor.h"

#include <ATen/ATen.h>
#include <ATen/SDPBackend.h>
#include <ATen/ops/_fused_sdp_choice_native.h>
#include <ATen/ops/scaled_dot_product_attention_native.h>

#include <limits>

namespace shardlens {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();  // the score of a masked key

// Returns a mask that is added to the scores: -inf for every key later than the query.
at::Tensor noLaterKeys(const at::Tensor& query, const at::Tensor& key) {
  const auto& impl = dtensorImpl(query);
  const auto mask = at::full({query.size(-2), key.size(-2)}, kNever, query.scalar_type()).triu(1);
  return distribute(impl.sharedRuntime(), mask,
                    Placements(impl.spec().placements.size(), Replicate{}));
}

// Returns a mask that is added to the scores: 0 where a boolean mask is true, else -inf. Returns
// any other mask unchanged.
at::Tensor asAddend(const at::Tensor& mask, at::ScalarType type) {
  if (mask.scalar_type() != at::kBool) return mask;
  return at::zeros_like(mask, type).masked_fill(mask.logical_not(), kNever);
}

// Attention of matrix products and softmax. On GPUs libtorch would choose a fused kernel, which has
// no rule, or compose attention with a causal mask that is a plain tensor.
at::Tensor composedOnGpus(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                          const std::optional<at::Tensor>& mask, double dropout, bool causal,
                          std::optional<double> scale, bool sharedHeads) {
  std::optional<at::Tensor> added;
  if (mask) added = asAddend(*mask, query.scalar_type());
  if (causal) {
    const auto later = noLaterKeys(query, key);
    added = added ? added->add(later) : later;
  }
  return std::get<0>(at::_scaled_dot_product_attention_math(query, key, value, added, dropout,
                                                            /*is_causal=*/false,
                                                            /*dropout_mask=*/{}, scale,
                                                            sharedHeads));
}

// Returns the kernel that libtorch chooses, or SDPBackend::math if it composes attention. The
// choice depends on shapes, strides and dtypes, and is the same on all ranks.
at::SDPBackend kernelFor(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                         const std::optional<at::Tensor>& mask, double dropout, bool causal,
                         std::optional<double> scale, bool sharedHeads) {
  return static_cast<at::SDPBackend>(at::native::_fused_sdp_choice_cpp(
      query, key, value, mask, dropout, causal, scale, sharedHeads));
}

at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                     const std::optional<at::Tensor>& mask, double dropout, bool causal,
                     std::optional<double> scale, bool sharedHeads) {
  const auto composed = [&](const std::optional<at::Tensor>& added, bool isCausal) {
    return at::native::scaled_dot_product_attention(query, key, value, added, dropout, isCausal,
                                                    scale, sharedHeads);
  };
  if (!isDTensor(query)) return composed(mask, causal);
  if (query.is_cuda()) {
    return composedOnGpus(query, key, value, mask, dropout, causal, scale, sharedHeads);
  }
  const auto kernel = kernelFor(query, key, value, mask, dropout, causal, scale, sharedHeads);
  const bool addsMask = !mask || mask->scalar_type() != at::kBool;
  if (kernel == at::SDPBackend::flash_attention && query.is_meta() && addsMask) {
    // A dry run has no device by which libtorch would find its kernel.
    return std::get<0>(at::_scaled_dot_product_flash_attention_for_cpu(query, key, value, dropout,
                                                                       causal, mask, scale));
  }
  if (kernel != at::SDPBackend::math || !causal || mask) return composed(mask, causal);
  return composed(noLaterKeys(query, key), /*isCausal=*/false);
}

}  // namespace

void registerAttention() { registerComposed("scaled_dot_product_attention", TORCH_FN(attention)); }

}  // namespace shardlens
