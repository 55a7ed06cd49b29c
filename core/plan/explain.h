#pragma once

#include "core/plan/planner.h"

#include <string>
#include <vector>

namespace shardlens {

// A plan with what it takes, step by step and in all.
struct PricedPlan {
  std::string name;  // "greedy"; "by way of (R, S(1))"
  Plan plan;
  std::vector<Price> prices;  // one a step
  Price total;
  int collectives = 0;
};

// Why a plan was chosen: what else there was, each plan once, the cheapest first.
struct Explanation {
  PricedPlan chosen;
  int explored = 0;         // layouts whose continuations the search tried; only min-cost searches
  std::string caveat = {};  // see FoundPlan
  std::vector<PricedPlan> alternatives;
};

// The plan that makePlan() makes, beside those of the other planners, the best one through each of
// the steps that it could begin with, and of owned rows the one that adds terms.
Result<Explanation> explain(PlannerKind kind, const CostModel& model, const Spec& current,
                            const Placements& target, TermKind terms = TermKind::Any);

}  // namespace shardlens
