#pragma once

#include "core/base/result.h"
#include "core/ops/rule_registry.h"
#include "core/ops/schema.h"
#include "core/plan/cost.h"

namespace shardlens {

// The chosen strategy, and all priced candidates, best first. The chosen one is the first. Never
// without a candidate.
struct Propagation {
  OpStrategy chosen;
  std::vector<OpStrategy> candidates;
};

// Whether the candidates will be shown. Include: prices all combinations if there are at most 1024.
// Omit: prices only those that may be the best. The chosen strategy is the same.
enum class Reasons { Omit, Include };

// Chooses among the rule's strategies: the first that moves nothing, else the cheapest, and of
// equally cheap ones the first. A pure function. Returns DTensor's error if no strategy is
// possible. For a foreach operator the only candidate is the joined strategy of the elements.
// Requires use.rule.
Result<Propagation> propagate(const OpSchema& call, const RuleMatch& use, const CostModel& model,
                              Reasons reasons = Reasons::Omit);

}  // namespace shardlens
