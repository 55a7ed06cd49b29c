#pragma once

#include "core/tensor/caches/plan_cache.h"
#include "core/tensor/runtime.h"

namespace shardlens {

// What the plan cache has, or a plan made now, which it then remembers; notes the look-up and what
// was planned. Refuses what has no plan.
PlanPtr findPlan(Runtime& runtime, PlanKey key);

StepGeometry geometryOf(Runtime& runtime, const TensorMeta& meta, const TransformInfo& step);

}  // namespace shardlens
