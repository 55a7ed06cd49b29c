#pragma once

#include "core/plan/cost.h"

namespace shardlens {

// Returns the plan that the default planner uses: `found` if it is faster than `greedy`, or the
// merged form of either if that is faster still. Gains below a nanosecond do not count.
//
// Heavier kinds of collectives are avoided. A plan is heavier than greedy if it has an all-gather
// and greedy has a reduce-scatter or all-to-all, or if it has an all-reduce and greedy has a
// reduce-scatter. A heavier plan must also save more transfer time than one collective's startup,
// unless both have equally many collectives of each kind.
Plan cheapest(const CostModel& model, const Spec& current, const Plan& greedy, const Plan& found);

}  // namespace shardlens
