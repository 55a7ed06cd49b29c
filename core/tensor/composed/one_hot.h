#pragma once

namespace shardlens {

// Registers aten.one_hot: compares the ids with a replicated list of all classes, so the result
// keeps the placements of the ids. libtorch's own formula writes on a plain tensor.
void registerOneHot();

}  // namespace shardlens
