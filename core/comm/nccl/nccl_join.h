#pragma once

#include "core/comm/nccl/device/rank_map.h"

#include <memory>
#include <vector>

namespace shardlens {

class Processes;
class NcclCollectives;
struct NcclHooks;
struct GpuApi;

// Connects ranks at these places with NCCL. `hooks` give the kernels and the streams of the GPUs.
// `processes` are the processes that the places name, and watch one another meanwhile; null if this
// is the only one. Collective over all processes. Throws RankLost if NCCL cannot be initialised.
std::shared_ptr<NcclCollectives> joinNccl(const GpuApi& api, const std::vector<GpuPlace>& places,
                                          NcclHooks hooks,
                                          const std::shared_ptr<Processes>& processes);

}  // namespace shardlens
