#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <vector>

namespace shardlens {

// Refuse, as a local kernel's check, bags that are none: libtorch would notice in some ranks' parts
// only, or read past the end.
void checkBags(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs);
void checkBagsBackward(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs);
void checkBagsDenseBackward(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs);
void checkBagWeightsBackward(at::ArrayRef<c10::IValue> args, const std::vector<at::Tensor>& inputs);

}  // namespace shardlens
