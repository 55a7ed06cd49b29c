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

// The defined tensors among a call's arguments, in order and with those in lists, and their
// runtime.
struct CallInputs {
  std::vector<at::Tensor> tensors;
  std::shared_ptr<Runtime> runtime;
};

// Collects the tensors. The runtime is that of the first sharded tensor; throws Refusal if there is
// none.
CallInputs collectInputs(const std::string& name, at::ArrayRef<c10::IValue> args);
// Throws Refusal, in DTensor's words, for sharded tensors of different runtimes, and for plain
// tensors of more than one element. Gradient formulas may pass such plain tensors, see
// isComputingGradients().
void refuseMixed(const std::string& name, const CallInputs& inputs);

// Returns what a result may depend on of a free number, or of a list of them, see OpEntry: "real"
// or "complex". The kind of a real number decides the result's dtype only if a tensor of the call
// is neither floating nor complex: it is then "bool", "int" or "float".
std::string freeNumberText(const c10::IValue& number, at::ArrayRef<c10::IValue> args);

// Returns the call without data, with freeNumberText() for free numbers. The outputs are not filled
// in.
OpSchema describeCall(const OpEntry& op, at::ArrayRef<c10::IValue> args, const CallInputs& inputs);

// Returns true inside a backward function of libtorch. Plain tensors that a formula creates, such
// as zeros for a missing gradient, are equal on all ranks.
bool isComputingGradients();

// Returns the spec of a tensor argument. A plain tensor counts as replicated.
Spec inputSpec(const at::Tensor& tensor, const Runtime& runtime);

}  // namespace shardlens
