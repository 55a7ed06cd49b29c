#pragma once

#include "core/model/spec.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <optional>

namespace shardlens {

// Returns shape, strides and dtype of a tensor as libtorch reports them.
TensorMeta metaOf(const at::Tensor& tensor);

// Returns true if an optional tensor argument is present. libtorch passes a missing one as None or
// as an undefined tensor.
inline bool holdsTensor(const c10::IValue& arg) {
  return arg.isTensor() && arg.toTensor().defined();
}

// Calls fn for each defined tensor of an argument that is a tensor or a list of tensors. Ignores
// other arguments.
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

// Returns the argument with every defined tensor replaced by fn(tensor), in the order of
// forEachTensor().
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
