#pragma once

#include "core/inference/findings.h"
#include "core/inference/ledger.h"
#include "core/inference/solver.h"

#include <vector>

namespace shardlens {

// Returns the reductions of gradients that are wrong along an axis: those of shards, and sums of
// copies that nothing divides. `solver` has solved without the operations of gradientReductions(),
// so that it knows what the gradients were before.
std::vector<PlainFinding> auditReductions(const PlainGraph& graph,
                                          const std::vector<RankAxis>& axes, std::size_t axis,
                                          const std::vector<GradientLedger>& ledgers,
                                          const PlacementSolver& solver, PlacementCodes& codes);

// Returns the operations that reduce gradients over an axis, ascending.
std::vector<std::size_t> gradientReductions(const std::vector<GradientLedger>& ledgers,
                                            std::size_t axis);

// Returns the parameters that are shards along an axis but equal on two or more of its ranks at
// their first use.
// `solver` has solved without the equal values of parameters.
std::vector<PlainFinding> auditSlices(const Journal& journal, const PlainGraph& graph,
                                      const RankAxis& axis, const PlacementSolver& solver,
                                      PlacementCodes& codes, const std::vector<Likeness>& likeness);

// Returns random operators that use generators in different states along an axis for a tensor that
// is whole, or in equal states for shards of a tensor. `solver` has solved.
std::vector<PlainFinding> auditGenerators(const Journal& journal, const PlainGraph& graph,
                                          const RankAxis& axis, const PlacementSolver& solver,
                                          PlacementCodes& codes);

}  // namespace shardlens
