#pragma once

#include "core/ops/rule_registry.h"
#include "core/plan/cost.h"

#include <optional>

namespace shardlens {

// Prices the strategies of one call, and drops those that are not allowed.
class Pricing {
 public:
  Pricing(const OpSchema& call, const Rule& rule, const CostModel& model)
      : call_(call), rule_(rule), model_(model) {}

  // The strategy with its cost; none where it is not allowed.
  std::optional<OpStrategy> priced(OpStrategy strategy);

  // At most what any plan pays that brings an input from where it lies along a mesh dimension to
  // this placement.
  double atLeast(std::size_t input, std::size_t meshDim, const Placement& to) const;

  // Whether a strategy was not allowed because it would move what is written in place.
  bool blockedInPlace() const { return blockedInPlace_; }

 private:
  bool addHalos(OpStrategy& strategy) const;

  const OpSchema& call_;
  const Rule& rule_;
  const CostModel& model_;
  bool blockedInPlace_ = false;
};

// Adds to a strategy what it costs to bring an input to these placements; false where no plan does.
bool addMove(const CostModel& model, const Spec& from, const Placements& to, OpStrategy& strategy);

// Whether the strategy leaves the inputs where they are, which costs nothing but halos.
bool movesNothing(const OpStrategy& strategy, const OpSchema& call);

}  // namespace shardlens
