#pragma once

#include "core/ops/schema.h"
#include "core/tensor/dispatch/op_entry.h"

namespace shardlens {

// The shape that the inputs of an elementwise call stretch to; what it only writes is none of them.
Shape stretchedShape(const OpEntry& entry, const OpSchema& call);

// The lists of an operator that works element by element are as long as the first, for libtorch's
// kernels read and write beyond the shorter one. A fused operator's may be empty where it reads
// none of it.
void refuseUnlikeLengths(const OpEntry& entry, at::ArrayRef<c10::IValue> args);

// What an operator writes into the elements of a list has their shape. Ranks would stretch them to
// their part of another, and fused kernels do not look at shapes.
void refuseUnlikeElements(const OpEntry& entry, const OpSchema& call);

}  // namespace shardlens
