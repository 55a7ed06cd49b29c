#pragma once

namespace shardlens {

// Registers a gradient of aten.gather that uses scatter_add out of place. libtorch's own formula
// writes in place on zeros placed like the gradient, which cannot be redistributed.
void registerGatherGradient();

}  // namespace shardlens
