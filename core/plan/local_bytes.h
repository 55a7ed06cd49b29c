#pragma once

#include "core/model/spec.h"

namespace shardlens {

// Returns the bytes that a rank has of a tensor, as the mean over the ranks.
double localBytes(const DeviceMesh& mesh, const TensorMeta& meta, const Placements& placements);

}  // namespace shardlens
