#pragma once

#include "core/tensor/caches/plan_cache.h"
#include "core/tensor/runtime.h"

namespace shardlens {

// A plan, and the buffer for the masks it makes (see MaskPolicy::hold()), or null.
struct PlanWithBuffer {
  PlanPtr plan;
  MaskRecordPtr buffer;
};

// Returns the plan from the plan cache, or computes and caches it. Records the lookup and the new
// plan. Throws Refusal if there is no plan, or if Caches::Verified finds another plan than cached.
PlanWithBuffer findPlan(Runtime& runtime, PlanKey key);

// Computes the geometry of one step for the hosted ranks. Uncached.
StepGeometry geometryOf(Runtime& runtime, const TensorMeta& meta, const TransformInfo& step);

}  // namespace shardlens
