#pragma once

#include "core/tensor/caches/plan_cache.h"
#include "core/tensor/runtime.h"

namespace shardlens {

// A plan, and the buffer that its masks go into, see MaskPolicy.
struct PlanWithBuffer {
  PlanPtr plan;
  MaskRecordPtr buffer;
};

// What the plan cache has, or a plan made now, which it then remembers; notes the look-up and what
// was planned. Refuses what has no plan.
PlanWithBuffer findPlan(Runtime& runtime, PlanKey key);

StepGeometry geometryOf(Runtime& runtime, const TensorMeta& meta, const TransformInfo& step);

}  // namespace shardlens
