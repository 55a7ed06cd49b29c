#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <vector>

namespace shardlens {

// The checks of attention by one kernel of a GPU, see LocalKernel::check. Throw Refusal for tensors
// that do not fit together, for dropout and for a debug mask. The efficient kernel requires a bias
// of the scores' whole shape, as scaled_dot_product_attention passes it.
void checkFlashAttention(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs);
void checkFlashAttentionBackward(at::ArrayRef<c10::IValue> args,
                                 const std::vector<at::Tensor>& inputs);
void checkCudnnAttention(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs);
void checkCudnnAttentionBackward(at::ArrayRef<c10::IValue> args,
                                 const std::vector<at::Tensor>& inputs);
void checkEfficientAttention(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs);
void checkEfficientAttentionBackward(at::ArrayRef<c10::IValue> args,
                                     const std::vector<at::Tensor>& inputs);

}  // namespace shardlens
