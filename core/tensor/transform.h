#pragma once

#include "core/tensor/step_geometry.h"

namespace shardlens {

class Runtime;

// What the hosted ranks hold after one step of a plan; the locals are left as they are.
Buffers transform(Runtime& runtime, const TransformInfo& step, const StepGeometry& geometry,
                  const Buffers& locals);

}  // namespace shardlens
