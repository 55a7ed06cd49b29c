#include "core/comm/nccl/nccl_join.h"

#include "core/cluster/processes.h"
#include "core/comm/nccl/device/nccl_collectives.h"

#include <fmt/core.h>

namespace shardlens {
namespace {

// Sets the hooks that connect and watch the processes.
NcclHooks among(const std::shared_ptr<Processes>& processes, NcclHooks hooks) {
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
                                          NcclHooks hooks,
                                          const std::shared_ptr<Processes>& processes) {
  std::shared_ptr<NcclCollectives> ranks;
  const auto join = [&](int process, NcclHooks all) {
    auto joined = NcclCollectives::join(api, places, process, std::move(all));
    if (!joined) throw std::runtime_error("NCCL: " + joined.error().message);
    ranks = *std::move(joined);
  };
  if (processes == nullptr) {
    try {
      join(0, std::move(hooks));
    } catch (const std::runtime_error& e) {
      throw RankLost(e.what());
    }
  } else {
    processes->runCollective(
        {"NCCL", [] { return "NCCL's beginning"; }}, /*nextTakesPart=*/true,
        [&] { join(processes->process(), among(processes, std::move(hooks))); });
  }
  return ranks;
}

}  // namespace shardlens
