#pragma once

#include "core/tensor/runtime.h"

#include <memory>
#include <vector>

namespace shardlens {

// The scenario's runtime, and one for each other mesh that its steps lay tensors on. Tensors of
// equal meshes share theirs and so may meet in an operator.
class Runtimes {
 public:
  explicit Runtimes(std::shared_ptr<Runtime> scenarios) : all_{std::move(scenarios)} {}

  // Whether tensors have no data.
  bool areDry() const { return scenarios()->comm().deviceType() == at::kMeta; }

  const std::vector<std::shared_ptr<Runtime>>& all() const { return all_; }
  const std::shared_ptr<Runtime>& scenarios() const { return all_.front(); }
  // Throws Refusal where the mesh has ranks that the scenario's has not.
  std::shared_ptr<Runtime> on(const DeviceMesh& mesh);
  // Of all of them, those that have been materialized and may still be held.
  std::vector<MaskRecordPtr> maskBuffers() const;

 private:
  std::vector<std::shared_ptr<Runtime>> all_;
};

}  // namespace shardlens
