#pragma once

#include "core/tensor/caches/plan_cache.h"
#include "core/tensor/caches/strategy_cache.h"
#include "core/tensor/runtime.h"

#include <optional>
#include <string>

namespace shardlens {

// Whether the value for a missed key will be cached. Dropped also if the call was refused.
enum class Memo { Kept, Dropped };

// Record a lookup and return the event's id, 0 without sinks. A hit records the entry, its age and
// its uses. A miss records the key field by field, the most similar entry, whether the value is
// cached, and the entry that is evicted for it. Record a miss before caching its value; the event's
// id is the new entry's origin.
EventId notePlanLookup(Runtime& runtime, const PlanKey& key,
                       const std::optional<PlanCache::Hit>& hit, Memo memo);
EventId noteStrategyLookup(Runtime& runtime, const OpSchema& call,
                           const std::optional<StrategyCache::Hit>& hit, Memo memo);

// Throws Refusal if the text of the cached value differs from that of the newly computed one.
// `table` is "strategy" or "plan".
void refuseStale(const std::string& table, const std::string& cached, const std::string& found);

}  // namespace shardlens
