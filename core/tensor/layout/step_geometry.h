#pragma once

#include "core/model/spec.h"
#include "core/plan/transform_info.h"
#include "core/tensor/layout/mesh_groups.h"
#include "core/tensor/values/pieces.h"

namespace shardlens {

// Who has what of a tensor before and after a step, for the hosted ranks: which parts of what one
// has go to each member of its group, and where in its result it puts what comes from each. It
// follows from what the ranks own alone, so that uneven, empty and nested shards, and groups over
// several mesh dimensions, need no cases of their own; and it is the same each time a plan runs.
struct StepGeometry {
  StepGeometry(const TensorMeta& meta, const DeviceMesh& mesh, const TransformInfo& step,
               const MeshGroups& groups, const std::vector<int>& hosted);

  std::vector<Shape> results;                // of each hosted rank
  std::vector<std::vector<Piece>> leaving;   // for each hosted rank, for each member
  std::vector<std::vector<Piece>> arriving;  // the same
};

}  // namespace shardlens
