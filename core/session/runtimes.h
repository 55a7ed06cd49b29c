#pragma once

#include "core/tensor/runtime.h"

#include <memory>
#include <vector>

namespace shardlens {

// The scenario's runtime, and one for each other mesh that its steps lay tensors on. Tensors of
// equal meshes share theirs and so may meet in an operator.
class Runtimes {
 public:
  Runtimes(std::shared_ptr<Runtime> scenarios, bool dry) : all_{std::move(scenarios)}, dry_(dry) {}

  // Whether tensors have no data.
  bool areDry() const { return dry_; }

  const std::shared_ptr<Runtime>& scenarios() const { return all_.front(); }
  // Throws Refusal where the mesh has ranks that the scenario's has not.
  const std::shared_ptr<Runtime>& on(const DeviceMesh& mesh);
  // Of all of them, those that have been materialized and may still be held.
  std::vector<LedgerEntryPtr> maskBuffers() const;

 private:
  std::vector<std::shared_ptr<Runtime>> all_;
  bool dry_;
};

}  // namespace shardlens
