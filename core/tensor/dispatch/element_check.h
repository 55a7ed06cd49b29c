#pragma once

#include "core/ops/schema.h"
#include "core/tensor/dispatch/op_entry.h"

namespace shardlens {

// Returns the shape that the inputs of an elementwise call broadcast to. `out=` arguments do not
// count. Throws an error of libtorch if the shapes do not broadcast.
Shape stretchedShape(const OpEntry& entry, const OpSchema& call);

// Throws Refusal unless all tensor lists of a foreach operator have the length of the first,
// because libtorch's kernels access elements beyond a shorter list. A fused operator's list may be
// empty if it is not read.
void refuseUnlikeLengths(const OpEntry& entry, at::ArrayRef<c10::IValue> args);

// Throws Refusal if an input has no dimensions, because libtorch's kernel of _chunk_cat reads the
// first one without a check.
void refuseNumbers(const OpEntry& entry, const OpSchema& call);

// Throws Refusal unless the tensors that a list operator writes have the shape of the result.
// Without this check ranks would broadcast them locally, and fused kernels do not check shapes.
void refuseUnlikeElements(const OpEntry& entry, const OpSchema& call);

}  // namespace shardlens
