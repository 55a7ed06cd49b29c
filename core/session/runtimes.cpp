#include "core/session/runtimes.h"

#include <algorithm>

namespace shardlens {

const std::shared_ptr<Runtime>& Runtimes::on(const DeviceMesh& mesh) {
  const auto known = std::find_if(all_.begin(), all_.end(),
                                  [&](const auto& runtime) { return *runtime->mesh() == mesh; });
  return known != all_.end() ? *known : all_.emplace_back(scenarios()->over(mesh));
}

}  // namespace shardlens
