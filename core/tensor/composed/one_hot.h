#pragma once

namespace shardlens {

// Rows that are 1 at their class: the ids beside all classes, which every rank has, so that they
// stay as the ids lie. libtorch's own formula writes on a plain tensor.
void registerOneHot();

}  // namespace shardlens
