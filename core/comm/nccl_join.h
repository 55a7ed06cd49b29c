#pragma once

#include "core/comm/nccl/seating.h"

#include <memory>
#include <vector>

namespace shardlens {

class GlooProcesses;
class NcclRanks;
struct GpuApi;

// Ranks at these places, connected by NCCL. `processes` are those that the places name, and look
// after one another meanwhile; none where this is the only one. Throws LinkFailed where they do not
// come together.
std::shared_ptr<NcclRanks> joinNccl(const GpuApi& api, const std::vector<GpuPlace>& places,
                                    RanksPerGpu sharing,
                                    const std::shared_ptr<GlooProcesses>& processes);

}  // namespace shardlens
