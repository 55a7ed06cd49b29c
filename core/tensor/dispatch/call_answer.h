#pragma once

#include "core/tensor/caches/strategy_cache.h"
#include "core/tensor/dispatch/call_schema.h"
#include "core/tensor/dispatch/op_entry.h"

namespace shardlens {

// Returns the strategy and the output layouts of a call: the entry of the strategy cache, or the
// result of the operator's rule, which is then cached. Records the lookup and the candidates.
// Throws Refusal if the operator has no rule and may not run on whole tensors, or if no strategy is
// possible. With Caches::Verified, also if the rule now gives another strategy than the cached one.
CachedCallPtr callAnswer(const OpEntry& entry, at::ArrayRef<c10::IValue> args,
                         const CallInputs& inputs);

}  // namespace shardlens
