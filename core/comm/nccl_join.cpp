#include "core/comm/nccl_join.h"

#include "core/comm/gloo/processes.h"
#include "core/comm/nccl/nccl_ranks.h"
#include "core/comm/on_gpu.h"

#include <c10/core/impl/VirtualGuardImpl.h>

namespace shardlens {
namespace {

// torch's, where its part for GPUs is loaded.
cudaStream_t torchsStream(int device) {
  if (!c10::impl::hasDeviceGuardImpl(at::kCUDA)) return nullptr;
  return currentStream({at::kCUDA, static_cast<at::DeviceIndex>(device)});
}

NcclSurroundings surroundingsIn(const std::shared_ptr<GlooProcesses>& processes) {
  NcclSurroundings surroundings;
  surroundings.exchangeWords = [processes](const std::string& said) {
    return processes->exchangeWords("NCCL's unique id", said);
  };
  surroundings.reasonToStop = [processes](auto waited) -> std::optional<std::string> {
    if (auto why = processes->ended()) return why;
    if (waited < GlooProcesses::kPatience) return std::nullopt;
    return "nothing came for " + std::to_string(GlooProcesses::kPatience.count()) + " minutes";
  };
  return surroundings;
}

}  // namespace

std::shared_ptr<NcclRanks> joinNccl(const GpuApi& api, const std::vector<GpuPlace>& places,
                                    RanksPerGpu sharing,
                                    const std::shared_ptr<GlooProcesses>& processes) {
  std::shared_ptr<NcclRanks> ranks;
  const auto join = [&](int process, NcclSurroundings surroundings) {
    surroundings.computingStream = torchsStream;
    auto joined = NcclRanks::join(api, places, process, sharing, std::move(surroundings));
    if (!joined) throw std::runtime_error("NCCL: " + joined.error().message);
    ranks = *std::move(joined);
  };
  if (processes == nullptr) {
    try {
      join(0, {});
    } catch (const std::runtime_error& e) {
      throw LinkFailed(e.what());
    }
  } else {
    processes->meet({"NCCL", [] { return "NCCL's beginning"; }}, /*nextHasPart=*/true,
                    [&] { join(processes->process(), surroundingsIn(processes)); });
  }
  return ranks;
}

}  // namespace shardlens
