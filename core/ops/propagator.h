#pragma once

#include "core/base/result.h"
#include "core/ops/rule_registry.h"
#include "core/ops/schema.h"
#include "core/plan/cost.h"

namespace shardlens {

// How an operator will run: the strategy that was taken, and all that were possible, cheapest
// first, for whoever asks why.
struct Propagation {
  OpStrategy chosen;
  std::vector<OpStrategy> candidates;
};

// Chooses among the ways the rule allows the one whose inputs are nearest: first one that moves
// nothing, then one that is free, then the cheapest; the earlier of equals. A pure function.
// Refuses in DTensor's words when none is possible.
Result<Propagation> propagate(const OpSchema& call, const Rule& rule, const CostModel& model);

}  // namespace shardlens
