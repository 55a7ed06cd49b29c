#include "core/tensor/composed/attention.h"

#include "core/tensor/composed/register_composed.h"
#include "core/tensor/distribute.h"
#include "core/tensor/dtensor.h"

#include <ATen/ATen.h>
#include <ATen/SDPBackend.h>
#include <ATen/ops/_fused_sdp_choice_native.h>
#include <ATen/ops/_fused_sdp_choice_ops.h>
#include <ATen/ops/scaled_dot_product_attention_native.h>

#include <algorithm>
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

// Returns true if ranks have separate sequences, or parts of the width.
bool dividesSequences(const at::Tensor& tensor) {
  if (!isDTensor(tensor)) return false;
  const auto& placements = specOf(tensor).placements;
  return std::any_of(placements.begin(), placements.end(), [](const Placement& placement) {
    return shardedDim(placement).value_or(0) >= 2;
  });
}

// Returns true if libtorch chooses a fused kernel of GPUs that has a rule for the call. There is
// none for divided sequences or for a mask with is_causal, and with dropout a kernel would draw
// other random numbers than the processor.
bool isFusedOnGpus(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                   const std::optional<at::Tensor>& mask, double dropout, bool causal,
                   std::optional<double> scale, bool sharedHeads) {
  const bool isDivided =
      dividesSequences(query) || dividesSequences(key) || dividesSequences(value);
  if (isDivided || dropout > 0 || (mask && causal)) return false;
  const auto choice = at::_ops::_fused_sdp_choice::redispatch(
      c10::DispatchKeySet(c10::DispatchKey::CUDA), query, key, value, mask, dropout, causal, scale,
      sharedHeads);
  return static_cast<at::SDPBackend>(choice) != at::SDPBackend::math;
}

// Attention by a fused kernel, else of matrix products and softmax. Replaces what libtorch would
// create as plain tensors: the causal mask, and the addends of a boolean mask.
at::Tensor attentionOnGpus(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                           const std::optional<at::Tensor>& mask, double dropout, bool causal,
                           std::optional<double> scale, bool sharedHeads) {
  std::optional<at::Tensor> added;
  if (mask) added = asAddend(*mask, query.scalar_type());
  if (isFusedOnGpus(query, key, value, added, dropout, causal, scale, sharedHeads)) {
    return at::native::scaled_dot_product_attention(query, key, value, added, dropout, causal,
                                                    scale, sharedHeads);
  }
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
    return attentionOnGpus(query, key, value, mask, dropout, causal, scale, sharedHeads);
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
