#pragma once

#include "core/base/result.h"
#include "core/model/dtype.h"
#include "core/plan/transform_info.h"

namespace shardlens {

// Returns the move that changes one mesh dimension between these placements. The placements must
// differ, and verifySteps() accept them.
Move moveOf(const Placement& from, const Placement& to);

// Returns true if both are shards with the same parts, however written: SS(0, 1) is S(0).
bool sameSharding(const Placement& a, const Placement& b);

// Returns true if both shard the same tensor dimension, but in different ways.
bool reshards(const Placement& from, const Placement& to);

// Returns true if the mesh dimensions left of this one shard the tensor dimension alike in both.
bool sameOuterShards(const Placements& a, const Placements& b, std::size_t meshDim, int tensorDim);

// Returns true if a partial still has to be reduced to reach the target. Until then no replicated
// dimension may become partial: a product of halves is not half of the product.
bool stillReduces(const Placements& now, const Placements& target);

// Returns true for an average of integers. It is truncated at each reduction, so its result depends
// on the groups and the order of the reductions.
bool losesFractions(const Placement& p, DType dtype);

// Returns DTensor's error if a step's conversion is not supported. Checks the first mesh dimension
// of each step.
Result<void> verifySteps(const Plan& plan, DType dtype);

// Builds a plan one mesh dimension at a time. Before changing a shard, the caller must undo all
// shards of the same tensor dimension by mesh dimensions to its right.
class Steps {
 public:
  explicit Steps(Placements start) : state_(std::move(start)) {}

  const Placements& state() const { return state_; }
  // Appends a step for one mesh dimension. Does nothing if it already has this placement.
  void change(std::size_t meshDim, const Placement& to);
  // Appends the step; state() becomes step.to.
  void add(TransformInfo step);
  Plan take() { return std::move(plan_); }  // leaves the builder without steps

 private:
  Placements state_;
  Plan plan_;
};

}  // namespace shardlens
