#pragma once

#include "core/ops/schema.h"
#include "core/tensor/dispatch/op_entry.h"

#include <vector>

namespace shardlens {

// Returns true if the output size depends on values. All inputs must then be replicated.
bool isSizedByData(const OpEntry& entry, at::ArrayRef<c10::IValue> args);

// Returns the metadata of the whole outputs: a list per return value, with one entry for a tensor
// and none for a value that is no tensor or is undefined.
// Computed by Rule::outputs if the rule has it, else by libtorch's meta function. Throws if the
// arguments do not fit together or a written tensor would change its shape. Some meta functions
// exist in Python only: elementwise operators therefore run on one element, and operators with
// Rule::planeDims on one plane. If the size depends on values, runs the operator on the data.
std::vector<std::vector<TensorMeta>> outputMetas(const OpEntry& entry,
                                                 at::ArrayRef<c10::IValue> args,
                                                 const OpSchema& call);

}  // namespace shardlens
