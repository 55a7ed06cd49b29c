#pragma once

#include "core/ops/schema.h"
#include "core/tensor/dispatch/op_entry.h"

#include <vector>

namespace shardlens {

// Whether only its data say how much a call gives; inputs have to be whole then.
bool isSizedByData(const OpEntry& entry, at::ArrayRef<c10::IValue> args);

// What an operator gives for whole tensors: for each of its returns the tensors in it, one for a
// tensor, none for what is no tensor or is left undefined.
//
// Told by libtorch's meta function, which refuses what does not fit together. An operator that
// writes lists in place gives what it writes. Of those that compute each element by itself some
// have their meta function only in Python: they are asked for one element.
std::vector<std::vector<TensorMeta>> outputMetas(const OpEntry& entry,
                                                 at::ArrayRef<c10::IValue> args,
                                                 const OpSchema& call);

}  // namespace shardlens
