#pragma once

#include "core/comm/communicator.h"
#include "core/tensor/layout/layout.h"
#include "core/tensor/layout/mesh_groups.h"
#include "core/tensor/masking/mask_registry.h"
#include "core/tensor/result_names.h"
#include "core/tensor/runtime_options.h"
#include "core/trace/journal/recorder.h"

#include <map>
#include <memory>
#include <vector>

namespace shardlens {

class MaskPolicy;
class PlanCache;
class StrategyCache;

// Everything that sharded tensors of one mesh share: the ranks they live on and how those
// communicate, the caches, the live masks, and the recorder. Two runtimes share none of that, and
// their tensors do not mix; what libtorch keeps for the process (its random generator, the buffers
// of its allocators, its settings) they share. One thread at a time may use a runtime with its
// tensors: libtorch's backward runs on GPUs in a thread of its own, for which the caller waits.
// makeRuntime() makes the first one of a run, see core/tensor/dispatch/make_runtime.h.
class Runtime : public std::enable_shared_from_this<Runtime> {
 public:
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Another mesh over some of the same ranks: its tensors do not mix with this one's, but are
  // written to the same recording. Refuses ranks that are not here.
  std::shared_ptr<Runtime> over(DeviceMesh mesh) const;

  const MeshPtr& mesh() const { return mesh_; }
  const RuntimeOptions& options() const { return options_; }
  Communicator& comm() { return *comm_; }
  // Along one mesh dimension, or several that are flattened into one.
  const MeshGroups& groups(const std::vector<int>& meshDims);
  Recorder& recorder() { return *recorder_; }
  ResultNames& resultNames() { return *resultNames_; }
  // Else nobody reads what a result is called.
  bool namesResults() const { return recorder_->on() || resultNames_->areGiven(); }
  MaskRegistry& masks() { return masks_; }
  MaskPolicy& maskPolicy() { return *maskPolicy_; }
  LayoutTable& layouts() { return layouts_; }
  StrategyCache& strategyCache() { return *strategyCache_; }
  PlanCache& planCache() { return *planCache_; }

  // How often a rule was asked, and a plan made, rather than remembered.
  int propagations = 0;
  int plans = 0;

 private:
  friend std::shared_ptr<Runtime> makeRuntime(DeviceMesh mesh, std::unique_ptr<Communicator> comm,
                                              const RuntimeOptions& options);

  Runtime(DeviceMesh mesh, std::unique_ptr<Communicator> comm, RuntimeOptions options);
  Runtime(DeviceMesh mesh, RuntimeOptions options, std::shared_ptr<Recorder> recorder,
          std::shared_ptr<ResultNames> resultNames, std::unique_ptr<Communicator> comm);

  MeshPtr mesh_;
  RuntimeOptions options_;
  std::shared_ptr<Recorder> recorder_;        // of all meshes
  std::shared_ptr<ResultNames> resultNames_;  // likewise
  std::unique_ptr<Communicator> comm_;
  std::map<std::vector<int>, MeshGroups> groups_;
  MaskRegistry masks_;
  std::unique_ptr<MaskPolicy> maskPolicy_;
  LayoutTable layouts_;
  std::unique_ptr<StrategyCache> strategyCache_;
  std::unique_ptr<PlanCache> planCache_;
};

}  // namespace shardlens
