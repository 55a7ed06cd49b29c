#pragma once

#include "core/tensor/runtime.h"

#include <optional>
#include <string>

namespace shardlens {

// What the recording is told of a lookup in a cache: the question, field by field; of a hit how old
// the answer is and how often it served; of a miss which entry asked nearly the same, and what
// differs.
void notePlanLookup(Runtime& runtime, const PlanKey& key, const std::optional<PlanCache::Hit>& hit);
void noteStrategyLookup(Runtime& runtime, const OpSchema& call,
                        const std::optional<StrategyCache::Hit>& hit);

// Refuses a step for which a cache has another answer than is found now.
void refuseStale(const std::string& table, const std::string& cached, const std::string& found);

}  // namespace shardlens
