#pragma once

#include "core/tensor/caches/strategy_cache.h"
#include "core/tensor/dispatch/call_schema.h"
#include "core/tensor/dispatch/op_entry.h"

namespace shardlens {

// By which strategy a call runs, and what it gives: what the strategy cache remembers of such a
// call, or what its rule answers, which the cache then remembers. Notes the look-up, and the
// candidates that were weighed. Refuses an operator that has no rule.
CachedCallPtr callAnswer(const OpEntry& entry, at::ArrayRef<c10::IValue> args,
                         const CallInputs& inputs);

}  // namespace shardlens
