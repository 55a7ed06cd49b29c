#pragma once

#include "core/tensor/runtime.h"

#include <memory>

namespace shardlens {

// Creates the first runtime of a run, with a new recorder. Registers libtorch's operators on the
// first call in a process. `comm` must have the ranks of the mesh.
std::shared_ptr<Runtime> makeRuntime(DeviceMesh mesh, std::unique_ptr<Communicator> comm,
                                     const RuntimeOptions& options = {});

// Creates a runtime that simulates all ranks in this process, on the CPU.
std::shared_ptr<Runtime> makeSimulatedRuntime(DeviceMesh mesh, const RuntimeOptions& options = {});

}  // namespace shardlens
