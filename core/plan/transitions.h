#pragma once

#include "core/base/result.h"
#include "core/model/dtype.h"
#include "core/plan/transform_info.h"

namespace shardlens {

// How one mesh dimension gets from a placement to another.
Move moveOf(const Placement& from, const Placement& to);

// The same parts, however written: SS(0, 1) is S(0).
bool sameCut(const Placement& a, const Placement& b);

// Two ways of cutting one tensor dimension.
bool recuts(const Placement& from, const Placement& to);

// Whether the mesh dimensions left of this one cut the tensor dimension in the same way in both.
bool sameOuterShards(const Placements& a, const Placements& b, std::size_t meshDim, int tensorDim);

// Whether a partial is still to be reduced. A whole is not made into terms meanwhile: a product of
// halves is not half of the product.
bool stillReduces(const Placements& now, const Placements& target);

// An average of whole numbers loses its fraction at each reduction, so that it shows which ranks
// are reduced together and in which order.
bool losesFractions(const Placement& p, DType dtype);

// Refuses, in DTensor's words, steps without meaning.
Result<void> verifySteps(const Plan& plan, DType dtype);

// A plan that grows by one mesh dimension at a time. A caller that changes a shard must have undone
// all shards of the same tensor dimension by mesh dimensions right of it.
class Steps {
 public:
  explicit Steps(Placements start) : state_(std::move(start)) {}

  const Placements& state() const { return state_; }
  // Nothing where it is so already.
  void change(std::size_t meshDim, const Placement& to);
  void add(TransformInfo step);
  Plan take() { return std::move(plan_); }

 private:
  Placements state_;
  Plan plan_;
};

}  // namespace shardlens
