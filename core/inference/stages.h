#pragma once

#include "core/inference/inference.h"
#include "core/trace/merge/ranks_merge.h"

#include <map>
#include <vector>

namespace shardlens {

// Returns the ranks of each stage of a pipeline, in the order of their lowest ranks. Empty if the
// job has fewer than two stages, or stages of one rank alone.
//
// Ranks that send messages to each other in both directions are linked. A group of a collective is
// within a stage if none of its members are linked. It also is if its members have the same
// parameters and exchange at least half of the bytes of these in a step, as ranks do that hold
// copies of one model.
std::vector<std::vector<int>> pipelineStages(const Journal& journal);

// Returns the axes of a whole job as the ranks of a stage have them; leaves out those without a
// group in it.
std::vector<RankAxis> axesWithin(const std::vector<RankAxis>& axes, const std::vector<int>& ranks);

// Joins the placements of the stages of a pipeline. Axes of one name and form are one axis.
class StageJoin {
 public:
  explicit StageJoin(std::vector<RankAxis> given) { result_.axes = std::move(given); }

  // Adds what was inferred from the journal of a stage. `ranks` are its ranks.
  void add(InferredPlacements found, const RanksMerge& merge, const std::vector<int>& ranks);
  InferredPlacements result();

 private:
  std::size_t joinedAxis(const RankAxis& axis);

  InferredPlacements result_;
  std::map<std::vector<int>, std::size_t> stages_;  // by the ranks
  std::vector<std::vector<std::size_t>> axes_;      // of the joined axes, for each stage
  std::vector<PlacedContents> contents_;            // of each stage
};

}  // namespace shardlens
