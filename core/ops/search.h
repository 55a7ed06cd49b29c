#pragma once

#include "core/ops/pricing.h"
#include "core/ops/propagator.h"

namespace shardlens {

// Strategies over the whole mesh, the best first: one of a rule's single-dimension strategies for
// each mesh dimension. There are n^dimensions of them; the search goes through the mesh dimensions
// and drops what cannot become cheaper than the best so far. Of equally cheap ones the first in the
// rule's order is the best, whichever was found first.
std::vector<OpStrategy> searchStrategies(const OpSchema& call,
                                         std::vector<SingleDimStrategy> strategies,
                                         Pricing& pricing, Reasons reasons);

}  // namespace shardlens
