#pragma once

namespace shardlens {

// Registers scaled_dot_product_attention for sharded tensors. It calls the kernel that libtorch
// chooses for the whole tensors, or composes attention of other operators. On GPUs a kernel is
// called without dropout only, and for sequences that are not sharded. If libtorch would compose
// causal attention, a replicated mask is used, because libtorch's own is a plain tensor.
void registerAttention();

}  // namespace shardlens
