#pragma once

#include "core/ops/schema.h"

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

// Refuses, in DTensor's words, plain tensors of more than one element beside sharded ones, and
// sharded ones of different meshes.
CallInputs collectInputs(const std::string& name, at::ArrayRef<c10::IValue> args);

// The call without its data. The outputs are still to be filled in.
OpSchema describeCall(const OpEntry& op, at::ArrayRef<c10::IValue> args, const CallInputs& inputs);

// Where a tensor argument lies: a plain scalar beside sharded tensors counts as replicated.
Spec inputSpec(const at::Tensor& tensor, const Runtime& runtime);

TensorMeta metaOf(const at::Tensor& tensor);

// Calls fn for each tensor of an argument that is a tensor, a list of them, or neither.
template <class Fn>
void forEachTensor(const c10::IValue& arg, Fn fn) {
  if (arg.isTensor()) {
    if (arg.toTensor().defined()) fn(arg.toTensor());
  } else if (arg.isTensorList()) {
    for (const at::Tensor& tensor : arg.toTensorList()) fn(tensor);
  } else if (arg.isOptionalTensorList()) {
    for (const std::optional<at::Tensor>& tensor : arg.toOptionalTensorList()) {
      if (tensor && tensor->defined()) fn(*tensor);
    }
  }
}

// The argument with every tensor replaced by fn(tensor).
template <class Fn>
c10::IValue mapTensors(const c10::IValue& arg, Fn fn) {
  if (arg.isTensor()) return arg.toTensor().defined() ? c10::IValue(fn(arg.toTensor())) : arg;
  if (arg.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor& tensor : arg.toTensorList()) list.push_back(fn(tensor));
    return list;
  }
  if (arg.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> list;
    for (const std::optional<at::Tensor>& tensor : arg.toOptionalTensorList()) {
      list.push_back(tensor && tensor->defined() ? std::optional(fn(*tensor)) : tensor);
    }
    return list;
  }
  return arg;
}

}  // namespace shardlens
