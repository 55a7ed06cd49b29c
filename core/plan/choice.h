#pragma once

#include "core/plan/cost.h"

namespace shardlens {

// The cheaper of two plans, merged where that can be, as the default planner takes it. A plan that
// gathers or all-reduces is not taken where the greedy plan only scatters or exchanges shards,
// unless the bytes it saves take longer than a collective's startup or both have the same kinds of
// collectives: a smaller gain would not be noticed, a heavier kind of collective would.
Plan cheapest(const CostModel& model, const Spec& current, const Plan& greedy, const Plan& found);

}  // namespace shardlens
