#pragma once

#include "core/tensor/runtime.h"

#include <memory>
#include <vector>

namespace shardlens {

// The runtimes of a program: one for its default mesh and one per other mesh. Tensors on equal
// meshes share a runtime and may meet in an operator. Not thread-safe.
class Runtimes {
 public:
  // `scenarios` is the runtime of the default mesh.
  explicit Runtimes(std::shared_ptr<Runtime> scenarios) : all_{std::move(scenarios)} {}

  // Returns true if tensors have no data (dry run).
  bool areDry() const { return scenarios()->comm().deviceType() == at::kMeta; }

  // Returns all runtimes, in order of creation; the first is that of the default mesh.
  const std::vector<std::shared_ptr<Runtime>>& all() const { return all_; }
  // Returns the runtime of the default mesh.
  const std::shared_ptr<Runtime>& scenarios() const { return all_.front(); }
  // Returns the runtime of this mesh, creating it if needed. Throws Refusal if the mesh has ranks
  // outside the default mesh.
  std::shared_ptr<Runtime> on(const DeviceMesh& mesh);
  // Returns the materialized mask buffers of all runtimes.
  std::vector<MaskRecordPtr> maskBuffers() const;

 private:
  std::vector<std::shared_ptr<Runtime>> all_;
};

}  // namespace shardlens
