#pragma once

#include "core/model/modes.h"
#include "core/plan/planner.h"

#include <memory>

namespace shardlens {

class MaskPolicy;
class MaskRegistry;

// Creates a mask policy, see core/tensor/masking/mask_policy.h.
using MakeMaskPolicy = std::unique_ptr<MaskPolicy> (*)(MaskRegistry&);

// How a runtime executes operators; see core/model/modes.h and core/plan for the values.
struct RuntimeOptions {
  Masking masking = Masking::Fused;
  Caches caches = Caches::On;
  CostModel costs = {};
  PlannerKind planner = PlannerKind::MinCost;
  Redistributions redistributions = Redistributions::Implicit;
  MakeMaskPolicy maskPolicy = nullptr;  // null: the engine's own; others imply stepwise masking
  UnknownOperators unknown = UnknownOperators::Refused;
};

}  // namespace shardlens
