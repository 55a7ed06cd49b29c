#pragma once

#include "core/tensor/caches/plan_cache.h"
#include "core/tensor/caches/strategy_cache.h"
#include "core/tensor/runtime.h"

#include <optional>
#include <string>

namespace shardlens {

// What becomes of the answer to a miss; there may be none, where the question is refused.
enum class Memo { Kept, Dropped };

// Records a lookup in a cache: the question, field by field; of a hit how old the answer is and how
// often it served; of a miss which entry asked nearly the same and what differs, whether the answer
// is kept, and which entry goes for it. A miss is noted before its answer is remembered.
void notePlanLookup(Runtime& runtime, const PlanKey& key, const std::optional<PlanCache::Hit>& hit,
                    Memo memo);
void noteStrategyLookup(Runtime& runtime, const OpSchema& call,
                        const std::optional<StrategyCache::Hit>& hit, Memo memo);

// Refuses a step for which a cache has another answer than is found now.
void refuseStale(const std::string& table, const std::string& cached, const std::string& found);

}  // namespace shardlens
