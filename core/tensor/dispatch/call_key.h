#pragma once

#include "core/tensor/dispatch/op_entry.h"

#include <string>

namespace shardlens {

// Everything that the answer to a call depends on, as bytes: the operator, where its tensors lie
// and how large they are, and the arguments that are no tensors. Layouts and operators stand as
// their addresses, so a key is good as long as its owner keeps what it names. Valid until the
// thread's next call.
const std::string& callKey(const OpEntry& entry, at::ArrayRef<c10::IValue> args);

}  // namespace shardlens
