#pragma once

#include "core/base/result.h"
#include "core/plan/cost.h"

#include <string>
#include <vector>

namespace shardlens {

// The result of planMinCost().
struct FoundPlan {
  Plan plan;
  int explored = 0;       // placement states that were expanded
  int partsCompared = 0;  // local parts compared because sizes do not divide evenly
  // Why a cheaper plan may exist: "the search stopped after 4096 states". Empty if none can.
  std::string caveat = {};
};

// `greedy` must lead from `current` to `target`. Thread-safe. Returns the fastest plan among those
// with no more collectives and no more bytes than the greedy plan. Ties are broken by fewer
// collectives, then bytes, then steps. Returns the greedy plan if no other is better. Also returns
// it, with a caveat, if the search stops after `mostStates` states, or is not possible: for meshes
// with more than 8 dimensions of several ranks, and for several partials of which one is an average
// of integers.
//
//   (SS(0, 2), S(0)) -> (R, S(0)): mesh dim 0 is gathered at once, because its shard can be
//   written as the inner one of the two. Greedy gathers mesh dim 1 first and shards it again.
FoundPlan planMinCost(const CostModel& model, const Spec& current, const Placements& target,
                      const Plan& greedy, int mostStates = 1 << 12);

// Returns each step that a path to the target may begin with. Empty for meshes with more
// than 8 dimensions of several ranks.
std::vector<TransformInfo> firstSteps(const Spec& current, const Placements& target);

}  // namespace shardlens
