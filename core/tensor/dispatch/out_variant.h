#pragma once

#include "core/tensor/dispatch/op_entry.h"

#include <optional>

namespace shardlens {

// The operator that gives what another writes into the tensors that it is given for that:
// "aten::sum.dim_IntList" of "aten::sum.IntList_out". None where `op` writes into none, or into
// lists.
std::optional<c10::OperatorHandle> givingVariant(const c10::OperatorHandle& op);

// Calls that operator and copies what it gives there, so that what is written keeps its placements.
// Refuses what does not fit: libtorch would resize it.
std::vector<c10::IValue> runIntoGiven(const OpEntry& entry, const c10::OperatorHandle& giving,
                                      at::ArrayRef<c10::IValue> args);

}  // namespace shardlens
