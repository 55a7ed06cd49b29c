#pragma once

namespace shardlens {

// Adds the behaviours of older versions of PyTorch to the sessions of this process: the calls on
// ShardedTensors, and the emulations of mask buffers. Call it before the first session runs; later
// calls do nothing. Not thread-safe.
void registerLegacy();

}  // namespace shardlens
