#pragma once

#include "core/model/modes.h"
#include "core/plan/planner.h"

namespace shardlens {

// How a runtime executes operators; see core/model/modes.h and core/plan for the values. An
// emulation implies stepwise masking.
struct RuntimeOptions {
  Masking masking = Masking::Fused;
  Caches caches = Caches::On;
  CostModel costs = {};
  PlannerKind planner = PlannerKind::MinCost;
  Redistributions redistributions = Redistributions::Implicit;
  Emulation emulation = Emulation::None;
  UnknownOperators unknown = UnknownOperators::Refused;
};

}  // namespace shardlens
