#pragma once

#include "core/tensor/dispatch/op_entry.h"

#include <string>

namespace shardlens {

// Returns the key of a call in the strategy cache, as bytes: everything that the result depends on.
// These are the operator, the layouts of its sharded tensors, the metadata of its plain tensors,
// the kinds of its free numbers, and all other arguments. Operators and layouts are keyed by
// address, so a cache entry must own the layouts in its key. The reference is valid until the next
// call on this thread.
const std::string& callKey(const OpEntry& entry, at::ArrayRef<c10::IValue> args);

}  // namespace shardlens
