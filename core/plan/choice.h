#pragma once

#include "core/plan/cost.h"

namespace shardlens {

// The cheaper of two plans, merged where that can be, as the default takes it. A collective that
// gathers or reduces to all is not taken where the greedy plan has one that leaves shards, unless
// the kinds are the same in all or the bytes that it saves take more than a startup: below that no
// one would see the gain, and everyone the heavier kind.
Plan cheapest(const CostModel& model, const Spec& current, const Plan& greedy, const Plan& found);

}  // namespace shardlens
