#pragma once

#include "core/inference/axes.h"
#include "core/inference/findings.h"
#include "core/inference/graph.h"

#include <vector>

namespace shardlens {

// Returns a finding for each gradient that some ranks reduce over an axis and others do not before
// the optimizer reads it, with these others: MissingReduction, or ReadEarly if they reduce it
// later. Each rank is judged by its own recording, because an operation that only some ranks
// execute is no operation of the merged graph. A rank whose gradient cannot be followed to its
// computation or to a bucket is not judged. Empty if all ranks execute the same operations, if they
// execute more than `mostOperations` together, or if the journal is not merged from processes.
std::vector<PlainFinding> auditRanks(const Journal& journal, const PlainGraph& graph,
                                     const std::vector<RankAxis>& axes, std::size_t mostOperations);

}  // namespace shardlens
