#pragma once

#include "core/plan/cost.h"

#include <optional>

namespace shardlens {

// Returns the plan with adjacent collectives of one kind merged into one over a flattened group,
// where the result is the same and takes no longer. Returns nullopt if nothing can be merged. A
// group that spans hosts is as slow as the link between them, so a gather inside hosts may stay
// separate. Reductions are merged if their partials are equal and have no factor or norm, or are
// sums and averages; averages of integers are not merged.
//
//   (S(0), S(0)) -> (S(0), R) -> (R, R) is one all_gather over both mesh dims.
std::optional<Plan> merged(const CostModel& model, const Spec& current, const Plan& plan);

}  // namespace shardlens
