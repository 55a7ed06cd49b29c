#include "core/tensor/dispatch/make_runtime.h"

#include "core/comm/simulated.h"
#include "core/tensor/dispatch/dispatch.h"

namespace shardlens {

std::shared_ptr<Runtime> makeRuntime(DeviceMesh mesh, std::unique_ptr<Communicator> comm,
                                     const RuntimeOptions& options) {
  registerDispatch();
  return std::shared_ptr<Runtime>(new Runtime(std::move(mesh), std::move(comm), options));
}

std::shared_ptr<Runtime> makeSimulatedRuntime(DeviceMesh mesh, const RuntimeOptions& options) {
  auto comm = std::make_unique<SimulatedCommunicator>(mesh.size());
  return makeRuntime(std::move(mesh), std::move(comm), options);
}

}  // namespace shardlens
