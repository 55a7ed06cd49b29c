#pragma once

#include "core/comm/communicator.h"
#include "core/model/spec.h"
#include "core/plan/transform_info.h"

namespace shardlens {

class Runtime;

// What the hosted ranks hold after one step of a plan; the locals are left as they are. Who sends
// what to whom follows from what each rank owns before and after, so that uneven, empty and nested
// shards, and groups over several mesh dimensions, need no cases of their own.
Buffers transform(Runtime& runtime, const TensorMeta& meta, const TransformInfo& step,
                  const Buffers& locals);

}  // namespace shardlens
