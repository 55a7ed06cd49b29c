#pragma once

#include "core/tensor/runtime.h"

#include <memory>

namespace shardlens {

// A runtime whose tensors libtorch's operators work on: the process's first one registers them. The
// ranks of the mesh are those of the communicator.
std::shared_ptr<Runtime> makeRuntime(DeviceMesh mesh, std::unique_ptr<Communicator> comm,
                                     const RuntimeOptions& options = {});

// All ranks simulated in this process.
std::shared_ptr<Runtime> makeSimulatedRuntime(DeviceMesh mesh, const RuntimeOptions& options = {});

}  // namespace shardlens
