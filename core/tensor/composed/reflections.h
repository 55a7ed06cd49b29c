#pragma once

namespace shardlens {

// Registers linalg_householder_product and ormqr with gradients. libtorch's formula reads and
// writes single rows and columns, so the matrices of the inputs and of the result's gradient are
// replicated. Batch dimensions stay sharded.
void registerReflections();

}  // namespace shardlens
