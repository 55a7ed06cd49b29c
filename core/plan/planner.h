#pragma once

#include "core/base/result.h"
#include "core/model/route.h"
#include "core/model/spec.h"
#include "core/plan/cost.h"
#include "core/plan/row_moves.h"
#include "core/plan/transform_info.h"

#include <optional>

namespace shardlens {

// The algorithm that makes a plan.
enum class PlannerKind : std::uint8_t {
  MinCost,    // the fastest plan found, with no more collectives or bytes than Greedy
  Greedy,     // DTensor's default: gathers inner shards before outer ones
  Decompose,  // PyTorch's original: changes a shard via R
};

std::string_view plannerName(PlannerKind kind);                  // "min-cost"
std::optional<PlannerKind> parsePlanner(std::string_view name);  // nullopt if unknown

// Returns the steps that redistribute a tensor to the target placements; empty if there is nothing
// to do. A pure function: every rank gets the same plan. Returns DTensor's error for a conversion
// that is not supported. `current` must have a mesh, and both a placement per mesh dimension.
Result<Plan> makePlan(PlannerKind kind, const CostModel& model, const Spec& current,
                      const Placements& target, PartialKind partials = PartialKind::Any);

// Returns DTensor's default plan.
//
//   (S(0), S(0)) -> (R, S(0)): mesh dim 1 is gathered first, because its shard is a part of the
//   shard of mesh dim 0. Then mesh dim 0 is gathered and mesh dim 1 sharded again.
Result<Plan> planGreedy(const Spec& current, const Placements& target);

// Returns the plan that replicates every shard that changes, from the last mesh dimension to the
// first, and then shards from the first to the last. Conversions from R to partial come last.
//
//   S(0) -> S(1) is S(0) -> R -> S(1).
Result<Plan> planDecomposed(const Spec& current, const Placements& target);

// Returns the placements before and after each step.
Route routeOf(const Placements& start, const Plan& plan);
// Returns the route as text: "(S(0), R) -> (R, R) -> (R, S(1))".
std::string toText(const Placements& start, const Plan& plan);

}  // namespace shardlens
