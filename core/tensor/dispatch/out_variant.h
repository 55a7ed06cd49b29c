#pragma once

#include "core/tensor/dispatch/op_entry.h"

#include <optional>

namespace shardlens {

// Returns the operator that returns what an `out=` operator writes: "aten::sum.dim_IntList" for
// "aten::sum.IntList_out". nullopt if `op` has no `out=` argument, returns something else than
// tensors, or has no such counterpart.
std::optional<c10::OperatorHandle> givingVariant(const c10::OperatorHandle& op);

// Calls `giving` and copies its results into the `out=` arguments, which keep their placements.
// Throws Refusal if a shape differs or a dtype cannot be cast; libtorch would resize instead.
std::vector<c10::IValue> runIntoGiven(const OpEntry& entry, const c10::OperatorHandle& giving,
                                      at::ArrayRef<c10::IValue> args);

}  // namespace shardlens
