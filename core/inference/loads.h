#pragma once

#include "core/inference/axes.h"
#include "core/inference/findings.h"
#include "core/inference/graph.h"

#include <vector>

namespace shardlens {

// Returns a LoadedSlice finding for each rank that loaded another slice of a tensor of a checkpoint
// than its place requires, so that elements are on no rank. The slices that the ranks should load
// are those of the placements that explain the slices of the most ranks, at least of half of them.
// Nothing is found if several placements explain as many, or if chunks have other sizes than
// torch's.
std::vector<PlainFinding> auditLoads(const PlainGraph& graph, const std::vector<RankAxis>& axes);

}  // namespace shardlens
