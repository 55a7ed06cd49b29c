#pragma once

#include "core/inference/contents.h"
#include "core/inference/graph.h"
#include "core/inference/ledger.h"
#include "core/inference/solver.h"

#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// What is wrong with a plain tensor along an axis.
//
//   MissingReduction  the gradient of a whole parameter is a partial sum at the optimizer's step
//   GradientsDiffer   the same, but only the values show it
//   ParametersDiffer  a parameter differs between ranks that have the same gradient of it, or that
//                     have written the same into it
//   ClaimContradicted values or operators contradict assert_placement(), or another claim
//   ClaimsDiffer      the ranks of a group state different placements of a tensor
//   ReducedTwice      an all_reduce sums data that another one has summed or averaged already
//   ReducedShards     a gradient of a shard is reduced over the axis of the shards
//   ReducedCopies     a gradient that is whole is summed and not divided by the number of copies
//   ReadEarly         an optimizer reads a gradient before its reduction, or while it is running
//   SameSlice         a parameter is a shard, but two or more ranks have equal values of it
//   LoadedSlice       a rank loaded another slice of a checkpoint than its place requires
//   RandomDiffers     a random operator on a whole tensor uses generators in different states
//   RandomAgrees      a random operator on shards uses generators in equal states
enum class PlainFault {
  MissingReduction,
  GradientsDiffer,
  ParametersDiffer,
  ClaimContradicted,
  ClaimsDiffer,
  ReducedTwice,
  ReducedShards,
  ReducedCopies,
  ReadEarly,
  SameSlice,
  LoadedSlice,
  RandomDiffers,
  RandomAgrees
};

struct PlainFinding {
  PlainFault fault = PlainFault::MissingReduction;
  std::string tensor;  // name; of the operator for RandomDiffers; empty for ReducedTwice
  RankAxis axis;
  EventId event = 0;
  // If values show it. SameSlice: two ranks that have the same elements; nullopt: all ranks have.
  std::optional<ContentDifference> difference = {};
  // ClaimContradicted: "assert_placement states R". ClaimsDiffer: "assert_placement states R on
  // ranks 0-2 and S(0) on rank 3". LoadedSlice: "rank 3 loads w[0:2] of the checkpoint, the slice
  // of rank 2, expected [2:4]".
  std::string claim = {};
  std::vector<int> ranks =
      {};                  // MissingReduction, ReadEarly: those to which it happens; empty: all
  bool isWritten = false;  // ParametersDiffer: the ranks have written the same into it
};

// How the ranks' values of the occurrences of a graph compare along an axis.
std::vector<Likeness> compareOccurrences(const Journal& journal, const PlainGraph& graph,
                                         const RankAxis& axis);

// Returns true if the claim is one about the axis.
bool concerns(const PlainClaim& claim, const RankAxis& axis);

// Adds the claims about an axis as facts, except for those that the recorded values contradict, and
// those that differ between ranks. Returns a finding for each of these. Ranks of different groups
// may state different placements, as stages of a pipeline do.
std::vector<PlainFinding> addClaims(const Journal& journal, const PlainGraph& graph,
                                    const RankAxis& axis, PlacementCodes& codes,
                                    PlacementSolver& solver);

// What the search for faults along an axis reads.
struct Judged {
  const Journal& journal;
  const PlainGraph& graph;
  const std::vector<RankAxis>& axes;
  std::size_t axis;                            // index
  const std::vector<Likeness>& likeness;       // see compareOccurrences()
  const std::vector<GradientLedger>& ledgers;  // need no placements
};
// Returns what is wrong along an axis, apart from what core/inference/audit.h finds. `solver` has
// solved.
std::vector<PlainFinding> findFaults(const Judged& judged, const PlacementSolver& solver,
                                     PlacementCodes& codes);

}  // namespace shardlens
