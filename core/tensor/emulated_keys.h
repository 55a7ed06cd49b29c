#pragma once

#include "core/tensor/caches/plan_cache.h"
#include "core/tensor/runtime.h"

#include <optional>
#include <string>

namespace shardlens {

// Note [Keys of masks]
// What a plan cache knows of a placement of masks, besides how it reduces. The engine: the table's
// shape, and the dimension that ids count along. DTensor 2.15: its buffer too, as it is in the
// placement. Before pull request 131264: the size of that dimension alone, so that tables of equal
// height and another width find one another's plans, and in them one another's buffers; but while a
// buffer is materialized, its placement equals no other.

// Whether nothing counts as equal to a placement with this buffer: it is not found, nor remembered.
bool equalsNoOther(const MaskRecordPtr& buffer);

// The key under which the plan is found that counts as the one asked for: the eldest of those,
// which need not be this key's own. None where every key stands for itself.
std::optional<PlanKey> eldestAlike(const PlanCache& cache, const PlanKey& key);

// As far as the key knows them.
Spec knownTo(const PlanKey& key, Spec spec);
std::string knownBuffer(const MaskRecord& buffer);

}  // namespace shardlens
