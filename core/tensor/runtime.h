#pragma once

#include "core/comm/communicator.h"
#include "core/tensor/layout/layout.h"
#include "core/tensor/layout/mesh_groups.h"
#include "core/tensor/masking/mask_registry.h"
#include "core/tensor/result_names.h"
#include "core/tensor/runtime_options.h"
#include "core/trace/recorder/recorder.h"

#include <map>
#include <memory>
#include <vector>

namespace shardlens {

class MaskPolicy;
class PlanCache;
class QueuedIdChecks;
class StrategyCache;

// The state that all sharded tensors of one mesh share: the communicator, the caches, the live
// masks, and the recorder. Tensors of two runtimes cannot be mixed in one call. Runtimes share what
// libtorch keeps per process: random generator, allocators, settings. Not thread-safe: one thread
// at a time may use a runtime and its tensors. On GPUs, libtorch runs backward on a separate
// thread, while the calling thread waits. makeRuntime() creates the first runtime of a run, see
// core/tensor/dispatch/make_runtime.h.
class Runtime : public std::enable_shared_from_this<Runtime> {
 public:
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Returns a runtime for another mesh over some of this runtime's ranks. Its tensors do not mix
  // with this runtime's, but go to the same recording and share its result names. Throws Refusal if
  // a rank is not in this mesh.
  std::shared_ptr<Runtime> over(DeviceMesh mesh) const;

  const MeshPtr& mesh() const { return mesh_; }
  const RuntimeOptions& options() const { return options_; }
  Communicator& comm() { return *comm_; }
  // Returns the groups along one mesh dimension, or along several that are flattened into one.
  // Cached; the reference is valid as long as the runtime.
  const MeshGroups& groups(const std::vector<int>& meshDims);
  Recorder& recorder() { return *recorder_; }
  ResultNames& resultNames() { return *resultNames_; }
  // Returns true if results need names, for a recording or for the caller's messages.
  bool namesResults() const { return recorder_->on() || resultNames_->areGiven(); }
  // The queued checks of ids, which the runtimes of all meshes share.
  QueuedIdChecks& idChecks() { return *idChecks_; }
  MaskRegistry& masks() { return masks_; }
  MaskPolicy& maskPolicy() { return *maskPolicy_; }
  LayoutTable& layouts() { return layouts_; }
  StrategyCache& strategyCache() { return *strategyCache_; }
  PlanCache& planCache() { return *planCache_; }

  // Counters: propagations and plans that were computed rather than taken from a cache.
  int propagations = 0;
  int plans = 0;

 private:
  friend std::shared_ptr<Runtime> makeRuntime(DeviceMesh mesh, std::unique_ptr<Communicator> comm,
                                              const RuntimeOptions& options);

  Runtime(DeviceMesh mesh, std::unique_ptr<Communicator> comm, RuntimeOptions options);
  Runtime(DeviceMesh mesh, RuntimeOptions options, std::shared_ptr<Recorder> recorder,
          std::shared_ptr<ResultNames> resultNames, std::shared_ptr<QueuedIdChecks> idChecks,
          std::unique_ptr<Communicator> comm);

  MeshPtr mesh_;
  RuntimeOptions options_;
  std::shared_ptr<Recorder> recorder_;        // shared by the runtimes of all meshes
  std::shared_ptr<ResultNames> resultNames_;  // likewise
  std::shared_ptr<QueuedIdChecks> idChecks_;  // likewise
  std::unique_ptr<Communicator> comm_;
  std::map<std::vector<int>, MeshGroups> groups_;
  MaskRegistry masks_;
  std::unique_ptr<MaskPolicy> maskPolicy_;
  LayoutTable layouts_;
  std::unique_ptr<StrategyCache> strategyCache_;
  std::unique_ptr<PlanCache> planCache_;
};

}  // namespace shardlens
