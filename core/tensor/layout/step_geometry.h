#pragma once

#include "core/model/spec.h"
#include "core/plan/transform_info.h"
#include "core/tensor/layout/mesh_groups.h"
#include "core/tensor/values/pieces.h"

namespace shardlens {

// The pieces that each hosted rank sends and receives in one step of a plan. Derived only from the
// elements that ranks own before and after the step. Uneven, empty and nested shards, and groups
// over several mesh dimensions, therefore need no special cases. Depends only on the arguments, so
// it can be cached with the plan.
struct StepGeometry {
  StepGeometry(const TensorMeta& meta, const DeviceMesh& mesh, const TransformInfo& step,
               const MeshGroups& groups, const std::vector<int>& hosted);

  std::vector<Shape> results;  // the local shape after the step, per hosted rank
  // Pieces of the local tensor (leaving) and of the result (arriving), per hosted rank and member.
  // Slice (leaving) and Pad (arriving) have one piece per rank. AllReduce, AllGatherRows and local
  // moves without pieces have none.
  std::vector<std::vector<Piece>> leaving;
  std::vector<std::vector<Piece>> arriving;
};

}  // namespace shardlens
