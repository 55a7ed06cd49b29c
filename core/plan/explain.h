#pragma once

#include "core/plan/planner.h"

#include <string>
#include <vector>

namespace shardlens {

// A plan with the price of each step and of the whole.
struct PricedPlan {
  std::string name;     // "greedy", "adding partials", "via (R, S(1))"
  Placements via = {};  // the placements that give it its name; else empty
  Plan plan;
  std::vector<Price> prices;  // one per step
  Price total;
  int collectives = 0;
};

// The chosen plan and its alternatives: each different plan once, the fastest first.
struct Explanation {
  PricedPlan chosen;
  int explored = 0;         // placements that the search expanded; 0 unless min-cost
  std::string caveat = {};  // see FoundPlan
  std::vector<PricedPlan> alternatives;
};

// Returns makePlan()'s plan with its alternatives: the plans of the other planners, the best plan
// through each possible first step, and for owned rows the plan that adds partial values. Returns
// makePlan()'s error if there is no plan.
Result<Explanation> explain(PlannerKind kind, const CostModel& model, const Spec& current,
                            const Placements& target, PartialKind partials = PartialKind::Any);

}  // namespace shardlens
