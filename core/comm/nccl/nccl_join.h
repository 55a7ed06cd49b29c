#pragma once

#include "core/comm/nccl/device/rank_map.h"

#include <memory>
#include <vector>

namespace shardlens {

class Processes;
class NcclCollectives;
struct GpuApi;

// Ranks at these places, connected by NCCL. `processes` are those that the places name, and look
// after one another meanwhile; none where this is the only one. Throws RankLost where they do not
// come together.
std::shared_ptr<NcclCollectives> joinNccl(const GpuApi& api, const std::vector<GpuPlace>& places,
                                          RanksPerGpu sharing,
                                          const std::shared_ptr<Processes>& processes);

}  // namespace shardlens
