#pragma once

#include "core/ops/pricing.h"
#include "core/ops/propagator.h"

namespace shardlens {

// Returns the allowed full-mesh strategies, the best first; empty if none is allowed. A combination
// has, per mesh dimension, one of the rule's strategies or the one that replicates all inputs.
// Branch and bound skips combinations that cannot become cheaper than the best so far. Among
// equally cheap ones the first in the rule's order is the best. With Reasons::Include and at most
// 1024 combinations, prices all of them. Otherwise, if a combination moves nothing, returns only
// the first such one. Throws CheckFailed for a strategy without a placement for each tensor.
std::vector<OpStrategy> searchStrategies(const OpSchema& call,
                                         std::vector<SingleDimStrategy> strategies,
                                         Pricing& pricing, Reasons reasons);

}  // namespace shardlens
