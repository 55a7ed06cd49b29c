#pragma once

#include "core/tensor/caches/strategy_cache.h"
#include "core/tensor/dispatch/call_schema.h"
#include "core/tensor/dispatch/op_entry.h"

namespace shardlens {

// Returns the strategy and the output layouts of a call: the entry of the strategy cache, or the
// result of the operator's rule, which is then cached. Records the lookup and the candidates.
// Throws Refusal if the operator has no rule and may not run on whole tensors, if no strategy is
// possible, or if Caches::Verified computes another strategy than cached.
CachedCallPtr callAnswer(const OpEntry& entry, at::ArrayRef<c10::IValue> args,
                         const CallInputs& inputs);

}  // namespace shardlens
