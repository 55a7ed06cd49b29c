#pragma once

#include "core/ops/halo.h"
#include "core/tensor/runtime.h"

namespace shardlens {

// Each hosted rank's part of an image with all that its windows are over, of its neighbours or zero
// beyond the image; longer than its own along the halos' dimensions.
Buffers withHalos(Runtime& runtime, const std::vector<Halo>& halos, Buffers parts);

// The other way round: what ranks have for all that their windows are over is added up where it is
// owned. What is beyond the image is left out.
Buffers withoutHalos(Runtime& runtime, const std::vector<Halo>& halos, Buffers longer);

}  // namespace shardlens
