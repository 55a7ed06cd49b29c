#include "core/tensor/runtime.h"

#include "core/base/refusal.h"
#include "core/comm/recorded.h"
#include "core/tensor/caches/plan_cache.h"
#include "core/tensor/caches/strategy_cache.h"
#include "core/tensor/masking/mask_policy.h"
#include "core/tensor/queued_id_checks.h"

#include <fmt/core.h>

namespace shardlens {
namespace {

constexpr std::size_t kCacheCapacity = 4096;

}  // namespace

Runtime::Runtime(DeviceMesh mesh, std::unique_ptr<Communicator> comm, RuntimeOptions options)
    : Runtime(std::move(mesh), options, std::make_shared<Recorder>(),
              std::make_shared<ResultNames>(), std::make_shared<QueuedIdChecks>(),
              std::move(comm)) {
  comm_ = std::make_unique<RecordedCommunicator>(std::move(comm_), *recorder_);
  recorder_->setMesh(*mesh_);
}

Runtime::Runtime(DeviceMesh mesh, RuntimeOptions options, std::shared_ptr<Recorder> recorder,
                 std::shared_ptr<ResultNames> resultNames, std::shared_ptr<QueuedIdChecks> idChecks,
                 std::unique_ptr<Communicator> comm)
    : mesh_(std::make_shared<const DeviceMesh>(std::move(mesh))),
      options_(options),
      recorder_(std::move(recorder)),
      resultNames_(std::move(resultNames)),
      idChecks_(std::move(idChecks)),
      comm_(std::move(comm)),
      masks_(recorder_),
      maskPolicy_(options_.maskPolicy != nullptr ? options_.maskPolicy(masks_)
                                                 : std::make_unique<MaskPolicy>(masks_)),
      layouts_(comm_->hosted()),
      strategyCache_(std::make_unique<StrategyCache>(kCacheCapacity)),
      planCache_(std::make_unique<PlanCache>(kCacheCapacity)) {
  if (options_.maskPolicy != nullptr) options_.masking = Masking::Stepwise;
}

Runtime::~Runtime() = default;

std::shared_ptr<Runtime> Runtime::over(DeviceMesh mesh) const {
  const auto ranks = mesh.ranks();
  for (const int rank : ranks) {
    if (mesh_->has(rank)) continue;
    throw Refusal(
        fmt::format("mesh ranks: got {}, expected some of the {} ranks of the scenario's mesh",
                    rank, mesh_->size()));
  }
  return std::shared_ptr<Runtime>(new Runtime(std::move(mesh), options_, recorder_, resultNames_,
                                              idChecks_, comm_->over(ranks)));
}

const MeshGroups& Runtime::groups(const std::vector<int>& meshDims) {
  const auto it = groups_.find(meshDims);
  if (it != groups_.end()) return it->second;
  return groups_.emplace(meshDims, MeshGroups(*mesh_, meshDims)).first->second;
}

}  // namespace shardlens
