#pragma once

#include "core/plan/explain.h"
#include "core/trace/records/plan_record.h"

namespace shardlens {

// Returns the record of a plan that starts at `current`, for the recording. `chosen`: the plan is
// the one that runs.
AlternativeRecord recordOf(const Spec& current, const PricedPlan& plan, bool chosen);

}  // namespace shardlens
