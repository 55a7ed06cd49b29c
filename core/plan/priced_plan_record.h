#pragma once

#include "core/plan/explain.h"
#include "core/trace/records/plan_record.h"

namespace shardlens {

// Returns the record of one of the compared plans for `current`, for the recording.
AlternativeRecord recordOf(const Spec& current, const PricedPlan& plan, bool chosen);

}  // namespace shardlens
