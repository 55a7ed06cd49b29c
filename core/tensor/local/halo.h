#pragma once

#include "core/ops/halo.h"
#include "core/tensor/runtime.h"

namespace shardlens {

// Returns the part of the image that each hosted rank's windows cover: its own elements, those of
// its neighbours, and zeros beyond the image. Collective.
Buffers withHalos(Runtime& runtime, const std::vector<Halo>& halos, Buffers parts);

// The adjoint of withHalos(): adds the values that ranks have for covered elements to the owner's
// part, and returns the owned parts. Values beyond the image are dropped. Collective.
Buffers withoutHalos(Runtime& runtime, const std::vector<Halo>& halos, Buffers longer);

}  // namespace shardlens
