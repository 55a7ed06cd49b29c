#include "core/comm/nccl/nccl_join.h"

#include "core/cluster/processes.h"
#include "core/comm/nccl/device/nccl_collectives.h"
#include "core/memory/gpu_scope.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <fmt/core.h>

namespace shardlens {
namespace {

// Returns torch's current stream on the device, or the default stream if libtorch_cuda is not
// loaded.
cudaStream_t torchsStream(int device) {
  if (!c10::impl::hasDeviceGuardImpl(at::kCUDA)) return nullptr;
  return currentStream({at::kCUDA, static_cast<at::DeviceIndex>(device)});
}

NcclHooks hooksFor(const std::shared_ptr<Processes>& processes) {
  NcclHooks hooks;
  hooks.allGatherStrings = [processes](const std::string& mine) {
    return processes->allGatherStrings("NCCL's unique id", mine);
  };
  hooks.reasonToStop = [processes](auto waited) -> std::optional<std::string> {
    if (auto why = processes->ended()) return why;
    if (waited < Processes::kPatience) return std::nullopt;
    return fmt::format("nothing came for {} minutes", Processes::kPatience.count());
  };
  return hooks;
}

}  // namespace

std::shared_ptr<NcclCollectives> joinNccl(const GpuApi& api, const std::vector<GpuPlace>& places,
                                          const std::shared_ptr<Processes>& processes) {
  std::shared_ptr<NcclCollectives> ranks;
  const auto join = [&](int process, NcclHooks hooks) {
    hooks.computingStream = torchsStream;
    auto joined = NcclCollectives::join(api, places, process, std::move(hooks));
    if (!joined) throw std::runtime_error("NCCL: " + joined.error().message);
    ranks = *std::move(joined);
  };
  if (processes == nullptr) {
    try {
      join(0, {});
    } catch (const std::runtime_error& e) {
      throw RankLost(e.what());
    }
  } else {
    processes->runCollective({"NCCL", [] { return "NCCL's beginning"; }}, /*nextTakesPart=*/true,
                             [&] { join(processes->process(), hooksFor(processes)); });
  }
  return ranks;
}

}  // namespace shardlens
