#pragma once

#include "core/plan/cost.h"

#include <optional>

namespace shardlens {

// The plan with neighbouring collectives of one kind made one over a flattened group, where that is
// right and takes no longer: a group that spans hosts is as slow as the way between them, so a
// gather inside hosts and one between them stay apart where the first has much to save. Terms are
// reduced together where they are of one and the same kind, without a factor or a root, or some of a
// sum and some of an average; averages where they have fractions.
//
//   (S(0), S(0)) -> (S(0), R) -> (R, R) is one all_gather over both mesh dims.
// None where nothing can be merged.
std::optional<Plan> merged(const CostModel& model, const Spec& current, const Plan& plan);

}  // namespace shardlens
