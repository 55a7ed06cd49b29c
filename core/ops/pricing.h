#pragma once

#include "core/ops/rule_registry.h"
#include "core/plan/cost.h"

#include <optional>

namespace shardlens {

// Prices the strategies of one call and rejects those that are not allowed. Keeps references to the
// constructor's arguments.
class Pricing {
 public:
  Pricing(const OpSchema& call, const Rule& rule, const CostModel& model)
      : call_(call), rule_(rule), model_(model) {}

  // Returns the strategy with cost, bytes and halos filled in. Returns nullopt if it mixes
  // partials, shards a dimension too finely for the rule, has no redistribution or halo exchange,
  // or would move an in-place operand.
  std::optional<OpStrategy> priced(OpStrategy strategy);

  // Returns a lower bound on the cost to change this mesh dimension of an input to `to`.
  double atLeast(std::size_t input, std::size_t meshDim, const Placement& to) const;

  // Returns true if priced() rejected a strategy because it would move an in-place operand.
  bool blockedInPlace() const { return blockedInPlace_; }

 private:
  bool addHalos(OpStrategy& strategy) const;

  const OpSchema& call_;
  const Rule& rule_;
  const CostModel& model_;
  bool blockedInPlace_ = false;
};

// Adds the cost and bytes of redistributing `from` to these placements. Returns false, and adds
// nothing, if an operator may not choose that redistribution or it does not exist.
bool addMove(const CostModel& model, const Spec& from, const Placements& to, OpStrategy& strategy);

// Returns true if the strategy leaves all inputs at their placements. Halos may still have a cost.
bool movesNothing(const OpStrategy& strategy, const OpSchema& call);

}  // namespace shardlens
