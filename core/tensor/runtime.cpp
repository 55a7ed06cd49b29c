#include "core/tensor/runtime.h"

#include "core/comm/recorded.h"
#include "core/comm/simulated.h"
#include "core/model/hash.h"
#include "core/tensor/dispatch.h"

namespace shardlens {
namespace {

constexpr std::size_t kCacheCapacity = 4096;

std::vector<GroupSet> groupsOf(const DeviceMesh& mesh) {
  std::vector<GroupSet> sets;
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    sets.push_back({mesh.names()[static_cast<std::size_t>(dim)], dim, mesh.groups(dim)});
  }
  return sets;
}

}  // namespace

std::size_t PlanKeyHash::operator()(const PlanKey& key) const {
  Hasher hasher;
  hasher.add(key.current);
  hasher.add(key.target);
  return hasher.value();
}

std::shared_ptr<Runtime> Runtime::simulated(DeviceMesh mesh, RuntimeOptions options) {
  auto comm = std::make_unique<SimulatedCommunicator>(mesh.size());
  return std::make_shared<Runtime>(std::move(mesh), std::move(comm), options);
}

Runtime::Runtime(DeviceMesh mesh, std::unique_ptr<Communicator> comm, RuntimeOptions options)
    : mesh_(std::make_shared<const DeviceMesh>(std::move(mesh))),
      options_(options),
      recorder_(std::make_shared<Recorder>()),
      comm_(std::make_unique<RecordedCommunicator>(std::move(comm), *recorder_)),
      groups_(groupsOf(*mesh_)),
      masks_(recorder_),
      strategyCache_(kCacheCapacity),
      planCache_(kCacheCapacity) {
  registerDispatch();
}

}  // namespace shardlens
