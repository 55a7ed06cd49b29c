#pragma once

#include "core/base/result.h"
#include "core/ops/rule_registry.h"
#include "core/ops/schema.h"
#include "core/plan/cost.h"

namespace shardlens {

// How an operator will run: the strategy that was taken, and others that were looked at, cheapest
// first, for whoever asks why.
struct Propagation {
  OpStrategy chosen;
  std::vector<OpStrategy> candidates;
};

// Whether somebody will read the candidates: all that a small mesh allows are priced then, rather
// than those alone that might be the best. The choice is the same.
enum class Reasons { Unasked, Asked };

// Chooses among the ways the rule allows the one whose inputs are nearest: first one that moves
// nothing, then one that is free, then the cheapest; the earlier of equals. A pure function.
// Refuses in DTensor's words when none is possible.
Result<Propagation> propagate(const OpSchema& call, const RuleMatch& use, const CostModel& model,
                              Reasons reasons = Reasons::Unasked);

}  // namespace shardlens
