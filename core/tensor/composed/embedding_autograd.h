#pragma once

namespace shardlens {

// Registers a gradient of aten.embedding that has the placements of the table, if that sends
// nothing. libtorch's own formula knows the number of rows, but not their placement.
void registerEmbeddingAutograd();

}  // namespace shardlens
