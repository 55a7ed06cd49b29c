#pragma once

#include "core/base/result.h"
#include "core/model/spec.h"
#include "core/plan/transform_info.h"

namespace shardlens {

// The steps that take a tensor from its placements to others, inner shards undone before outer ones
// and made after them. A pure function: no history, the same on every rank. Refuses, in DTensor's
// words, what has no meaning.
//
//   (S(0), S(0)) -> (R, S(0)): mesh dim 1 is gathered first, because its shard is a part of the
//   shard of mesh dim 0; then mesh dim 0 is gathered, and mesh dim 1 cut anew.
Result<Plan> planGreedy(const Spec& current, const Placements& target);

// "S(0)R -> RR -> RS(1)": the placements after each step.
std::string toText(const Placements& start, const Plan& plan);

}  // namespace shardlens
