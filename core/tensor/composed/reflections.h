#pragma once

namespace shardlens {

// Products of Householder reflections, where gradients are wanted: libtorch's formula reads and
// writes one row or column after the other, so ranks have whole matrices, of the inputs and of the
// result's gradient. Stacks of matrices stay cut.
void registerReflections();

}  // namespace shardlens
