#include "core/session/runtimes.h"

#include <algorithm>
#include <iterator>

namespace shardlens {

std::shared_ptr<Runtime> Runtimes::on(const DeviceMesh& mesh) {
  const auto known = std::find_if(all_.begin(), all_.end(),
                                  [&](const auto& runtime) { return *runtime->mesh() == mesh; });
  return known != all_.end() ? *known : all_.emplace_back(scenarios()->over(mesh));
}

std::vector<MaskRecordPtr> Runtimes::maskBuffers() const {
  std::vector<MaskRecordPtr> buffers;
  for (const auto& runtime : all_) {
    auto own = runtime->masks().materialized();
    std::move(own.begin(), own.end(), std::back_inserter(buffers));
  }
  return buffers;
}

}  // namespace shardlens
