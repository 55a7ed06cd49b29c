#pragma once

namespace shardlens {

// Registers Shardlens as the backend of every operator on sharded tensors. Once per process; later
// calls do nothing. Thread-safe.
void registerDispatch();

}  // namespace shardlens
