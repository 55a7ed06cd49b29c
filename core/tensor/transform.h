#pragma once

#include "core/comm/communicator.h"
#include "core/model/shard_geometry.h"
#include "core/model/spec.h"
#include "core/plan/transform_info.h"

namespace shardlens {

class Runtime;

// What stands at these places of a dimension, one after another: a view where it is one piece.
at::Tensor takeRuns(const at::Tensor& tensor, int dim, const Runs& runs);

// The rows of a looked-up table that a rank holds: those that all mesh dimensions masked under
// `placements` cut out together.
Chunk ownedRows(const DeviceMesh& mesh, const Placements& placements, const MaskPartial& masked,
                int rank);

// What the hosted ranks hold after one step of a plan; `current` is how they lie before it. The
// locals are left as they are.
Buffers transform(Runtime& runtime, const Spec& current, const TransformInfo& step,
                  const Buffers& locals);

// The part of a replicated tensor that is a rank's under sum: a term of it.
at::Tensor termOf(const at::Tensor& whole, ReduceOp op, int ranks, int coordinate);

}  // namespace shardlens
