#pragma once

#include "core/session/additions.h"

#include <vector>

namespace shardlens {

// The calls `sharded_embedding` and `sharded_embedding_bag` of SCENARIO.md. They take [weight,
// ids], and keyword arguments as in torch.nn.functional, and throw Refusal for unknown keywords or
// wrong types. On plain tensors they are libtorch's own lookups.
std::vector<AddedCall> legacyCalls();

}  // namespace shardlens
