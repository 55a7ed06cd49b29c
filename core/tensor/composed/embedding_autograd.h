#pragma once

namespace shardlens {

// The gradient of a lookup lies as its table does, where that needs nothing to be sent. libtorch's
// own formula knows how many rows the table had, but not how they were cut.
void registerEmbeddingAutograd();

}  // namespace shardlens
