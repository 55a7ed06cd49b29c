#pragma once

#include "core/model/spec.h"

namespace shardlens {

// What a rank holds of a tensor, the mean over the ranks.
double localBytes(const DeviceMesh& mesh, const TensorMeta& meta, const Placements& placements);

}  // namespace shardlens
