#pragma once

#include "core/plan/explain.h"
#include "core/trace/records/plan_record.h"

namespace shardlens {

// What a recording says of a plan for `current` that was compared with others.
AlternativeRecord recordOf(const Spec& current, const PricedPlan& plan, bool chosen);

}  // namespace shardlens
