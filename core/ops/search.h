#pragma once

#include "core/ops/pricing.h"
#include "core/ops/propagator.h"

namespace shardlens {

// Returns the allowed full-mesh strategies, the best first; empty if none is allowed. A combination
// has, per mesh dimension, one of the rule's strategies or the one that replicates all inputs.
// Branch and bound skips combinations that cannot become cheaper than the best so far. Among
// equally cheap ones the first in the rule's order is the best. If `reasons` is Unasked and a
// combination moves nothing, only the first such one is returned.
std::vector<OpStrategy> searchStrategies(const OpSchema& call,
                                         std::vector<SingleDimStrategy> strategies,
                                         Pricing& pricing, Reasons reasons);

}  // namespace shardlens
