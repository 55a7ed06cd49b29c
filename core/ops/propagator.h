#pragma once

#include "core/base/result.h"
#include "core/ops/rule_registry.h"
#include "core/ops/schema.h"
#include "core/plan/cost.h"

namespace shardlens {

// The strategy that was chosen, and the other candidates that were priced, cheapest first.
struct Propagation {
  OpStrategy chosen;
  std::vector<OpStrategy> candidates;
};

// Whether the candidates will be shown: then all that a small mesh allows are priced, otherwise
// only those that may be the best. The choice is the same.
enum class Reasons { Unasked, Asked };

// Chooses among the strategies that the rule allows: the first that moves nothing, else the first
// that costs nothing, else the cheapest. A pure function. Refuses in DTensor's words when none is
// possible.
Result<Propagation> propagate(const OpSchema& call, const RuleMatch& use, const CostModel& model,
                              Reasons reasons = Reasons::Unasked);

}  // namespace shardlens
