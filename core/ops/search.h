#pragma once

#include "core/ops/pricing.h"
#include "core/ops/propagator.h"

namespace shardlens {

// The strategies over the whole mesh that a rule's rows make, a row for each mesh dimension, the
// best first. There are rows^dimensions of them: a mesh dimension after the other takes a row, and
// whatever cannot become better than the best so far is left. Of equals, the one that comes first
// in the order of the rows is the best, however it was found.
std::vector<OpStrategy> searchRows(const OpSchema& call, std::vector<Row> rows, Pricing& pricing,
                                   Reasons reasons);

}  // namespace shardlens
