#pragma once

#include "core/ops/schema.h"
#include "core/tensor/dispatch/op_entry.h"

#include <vector>

namespace shardlens {

// Returns true if the output size depends on values. All inputs must then be replicated.
bool isSizedByData(const OpEntry& entry, at::ArrayRef<c10::IValue> args);

// Returns the metadata of the whole outputs: a list per return value, with one entry for a tensor
// and none for a value that is no tensor or is undefined.
// Calls libtorch's meta function, which throws if the arguments do not fit together. An in-place
// list operator returns the lists it writes. Elementwise operators run on one element instead,
// because some of their meta functions exist in Python only. If the size depends on values, runs
// the operator on a hosted rank's data.
std::vector<std::vector<TensorMeta>> outputMetas(const OpEntry& entry,
                                                 at::ArrayRef<c10::IValue> args,
                                                 const OpSchema& call);

}  // namespace shardlens
