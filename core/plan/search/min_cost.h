#pragma once

#include "core/base/result.h"
#include "core/plan/cost.h"

#include <string>
#include <vector>

namespace shardlens {

struct FoundPlan {
  Plan plan;
  int explored = 0;       // layouts whose continuations were tried
  int partsCompared = 0;  // where not everything divides
  // Why a cheaper plan may exist, "the search stopped after 4096 layouts"; empty where none does.
  std::string caveat = {};
};

// The plan that takes the least time among those with no more collectives and no more bytes than
// the greedy one, which it is if nothing is better. Among equals the one with fewer collectives,
// then bytes, then steps. The greedy plan with a caveat where the search is cut short.
//
//   (SS(0, 2), S(0)) -> (R, S(0)): mesh dim 0 is gathered at once, because its cut can be written as
//   the later one of the two; greedy gathers mesh dim 1 first and cuts it anew.
FoundPlan planMinCost(const CostModel& model, const Spec& current, const Placements& target,
                      const Plan& greedy, int mostLayouts = 1 << 12);

// Each step that a way from the current placements to the target may begin with.
std::vector<TransformInfo> firstSteps(const Spec& current, const Placements& target);

}  // namespace shardlens
