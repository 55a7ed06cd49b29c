#pragma once

#include "core/base/result.h"
#include "core/model/spec.h"
#include "core/plan/cost.h"
#include "core/plan/row_moves.h"
#include "core/plan/transform_info.h"

#include <optional>

namespace shardlens {

enum class PlannerKind : std::uint8_t {
  MinCost,    // the cheapest plan found, never with more collectives or bytes than the greedy one
  Greedy,     // DTensor's default: inner shards undone before outer ones, and made after them
  Decompose,  // PyTorch's first: from one shard to another by way of R
};

std::string_view plannerName(PlannerKind kind);  // "min-cost"
std::optional<PlannerKind> parsePlanner(std::string_view name);

// The steps that take a tensor from its placements to others. A pure function: no history, the same
// on every rank. Refuses, in DTensor's words, what has no meaning.
Result<Plan> makePlan(PlannerKind kind, const CostModel& model, const Spec& current,
                      const Placements& target, TermKind terms = TermKind::Any);

//   (S(0), S(0)) -> (R, S(0)): mesh dim 1 is gathered first, because its shard is a part of the
//   shard of mesh dim 0; then mesh dim 0 is gathered, and mesh dim 1 cut anew.
Result<Plan> planGreedy(const Spec& current, const Placements& target);

// What is cut otherwise afterwards is made whole first, from the last mesh dimension to the first,
// and cut anew from the first to the last; what is whole becomes terms after that.
//
//   S(0) -> S(1) is S(0) -> R -> S(1).
Result<Plan> planDecomposed(const Spec& current, const Placements& target);

// "(S(0), R) -> (R, R) -> (R, S(1))": the placements after each step.
std::string toText(const Placements& start, const Plan& plan);

}  // namespace shardlens
