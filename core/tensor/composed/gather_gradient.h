#pragma once

namespace shardlens {

// The gradient of a gather is added into zeros. libtorch writes on them, where they lie as that
// gradient does; here they may be brought elsewhere.
void registerGatherGradient();

}  // namespace shardlens
