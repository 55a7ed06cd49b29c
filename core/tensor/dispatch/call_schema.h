#pragma once

#include "core/ops/schema.h"
#include "core/tensor/values/ivalues.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <memory>
#include <string>
#include <vector>

namespace shardlens {

class Runtime;
struct OpEntry;

// The tensors among the arguments of a call, in order, lists and all, and the runtime they share.
struct CallInputs {
  std::vector<at::Tensor> tensors;
  std::shared_ptr<Runtime> runtime;
};

// The runtime is that of the first sharded tensor, which must be there.
CallInputs collectInputs(const std::string& name, at::ArrayRef<c10::IValue> args);
// Refuses, in DTensor's words, plain tensors of more than one element beside sharded ones, and
// sharded ones of different meshes.
void refuseMixed(const std::string& name, const CallInputs& inputs);

// The call without its data. The outputs are still to be filled in.
OpSchema describeCall(const OpEntry& op, at::ArrayRef<c10::IValue> args, const CallInputs& inputs);

// Whether libtorch computes gradients by formulas of its own: what those make by themselves, zeros
// for what has none, all ranks have.
bool isComputingGradients();

// Where a tensor argument lies: a plain scalar beside sharded tensors counts as replicated.
Spec inputSpec(const at::Tensor& tensor, const Runtime& runtime);

}  // namespace shardlens
