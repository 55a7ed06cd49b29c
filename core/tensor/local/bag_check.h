#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <vector>

namespace shardlens {

// Checks for the embedding_bag operators, see LocalKernel::check. Throw Refusal in all processes
// for invalid offsets, bags or ids. libtorch would check some ranks' parts only, or read out of
// bounds.
void checkBags(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs);
void checkBagsBackward(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs);
void checkBagsDenseBackward(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs);
void checkBagWeightsBackward(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs);

}  // namespace shardlens
