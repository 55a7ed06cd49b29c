#pragma once

namespace shardlens {

// Registers scaled_dot_product_attention for sharded tensors. If libtorch would compose causal
// attention of other operators, uses a replicated mask: libtorch's own is a plain tensor and cannot
// be mixed with sharded ones. This is the case with dropout, without heads, or with values of
// another width.
void registerAttention();

}  // namespace shardlens
