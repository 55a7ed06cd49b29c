#pragma once

#include "core/inference/contents.h"
#include "core/inference/graph.h"
#include "core/inference/solver.h"

#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// What is wrong with a plain tensor along an axis.
//
//   MissingReduction  the gradient of a whole parameter is a partial sum at the optimizer's step
//   GradientsDiffer   the same, but only the values show it
//   ParametersDiffer  a parameter differs between ranks that have the same gradient of it
//   ClaimContradicted assert_placement() states what the values or the operators contradict
//   ReducedTwice      an all_reduce sums what another one has summed or averaged already
enum class PlainFault {
  MissingReduction,
  GradientsDiffer,
  ParametersDiffer,
  ClaimContradicted,
  ReducedTwice
};

struct PlainFinding {
  PlainFault fault = PlainFault::MissingReduction;
  std::string tensor;  // name; empty for ReducedTwice
  RankAxis axis;
  EventId event = 0;
  std::optional<ContentDifference> difference = {};  // if values show it
  std::string claim = {};                            // ClaimContradicted: "R"
};

// How the ranks' values of the occurrences of a graph compare along an axis.
std::vector<Likeness> compareOccurrences(const Journal& journal, const PlainGraph& graph,
                                         const RankAxis& axis);

// Adds the claims about an axis as facts, except for those that the recorded values contradict.
// Returns a finding for each of these.
std::vector<PlainFinding> addClaims(const Journal& journal, const PlainGraph& graph,
                                    const RankAxis& axis, PlacementCodes& codes,
                                    PlacementSolver& solver);

// Returns what is wrong along an axis. `likeness`: see compareOccurrences(); `solver` has solved.
std::vector<PlainFinding> findFaults(const Journal& journal, const PlainGraph& graph,
                                     const RankAxis& axis, const PlacementSolver& solver,
                                     PlacementCodes& codes, const std::vector<Likeness>& likeness);

}  // namespace shardlens
