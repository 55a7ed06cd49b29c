#pragma once

namespace shardlens {

// Has causal attention of sharded tensors that libtorch composes of other operators (with dropout,
// without heads, of values of another width) use a mask that all ranks have: the one that libtorch
// makes on the way is a plain tensor, and does not mix with sharded ones.
void registerAttention();

}  // namespace shardlens
