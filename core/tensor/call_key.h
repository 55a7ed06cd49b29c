#pragma once

#include "core/tensor/call_schema.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <string>

namespace shardlens {

// Everything that the answer to a call depends on, as bytes: the operator, where its tensors lie
// and how large they are, and the arguments that are no tensors.
std::string callKey(const c10::OperatorHandle& op, at::ArrayRef<c10::IValue> args);

}  // namespace shardlens
