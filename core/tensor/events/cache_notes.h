#pragma once

#include "core/tensor/caches/plan_cache.h"
#include "core/tensor/caches/strategy_cache.h"
#include "core/tensor/runtime.h"

#include <optional>
#include <string>

namespace shardlens {

// What becomes of the answer to a miss; there may be none, where the question is refused.
enum class Memo { Kept, Dropped };

// Records a lookup in a cache: of a hit which entry has the answer, how old it is and how often it
// served; of a miss the question, field by field, which entry asked nearly the same, whether the
// answer is kept, and which entry goes for it. A miss is noted before its answer is remembered, and
// the entry has the event's id for its origin.
EventId notePlanLookup(Runtime& runtime, const PlanKey& key,
                       const std::optional<PlanCache::Hit>& hit, Memo memo);
EventId noteStrategyLookup(Runtime& runtime, const OpSchema& call,
                           const std::optional<StrategyCache::Hit>& hit, Memo memo);

// Refuses a step for which a cache has another answer than is found now.
void refuseStale(const std::string& table, const std::string& cached, const std::string& found);

}  // namespace shardlens
