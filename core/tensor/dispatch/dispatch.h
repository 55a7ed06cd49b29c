#pragma once

namespace shardlens {

// Makes libtorch bring every operator that is called on sharded tensors to Shardlens. Once for the
// process; further calls do nothing.
void registerDispatch();

}  // namespace shardlens
