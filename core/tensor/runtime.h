#pragma once

#include "core/base/bounded_cache.h"
#include "core/comm/communicator.h"
#include "core/model/modes.h"
#include "core/ops/propagator.h"
#include "core/plan/planner.h"
#include "core/tensor/layout/layout.h"
#include "core/tensor/layout/mesh_groups.h"
#include "core/tensor/layout/step_geometry.h"
#include "core/tensor/masking/mask_registry.h"
#include "core/trace/journal/recorder.h"

#include <map>
#include <memory>
#include <string>

namespace shardlens {

struct RuntimeOptions {
  Masking masking = Masking::Fused;
  Caches caches = Caches::On;
  CostModel costs = {};
  PlannerKind planner = PlannerKind::MinCost;
  Redistributions redistributions = Redistributions::Implicit;
  Emulation emulation = Emulation::None;
};

// What the strategy cache remembers of a call: the question, the answer, and where its inputs and
// results lie.
struct CachedCall {
  OpSchema schema;
  RuleMatch use;
  OpStrategy strategy;
  std::vector<LayoutPtr> inputs;  // as they were; null where a tensor is plain
  std::vector<LayoutPtr> outputs;
  std::vector<std::size_t> counts;  // how many outputs each return has
  bool movesInputs = false;
  MaskRecordPtr buffer;  // of the masks it makes; null unless emulated
};

struct PlanKey {
  LayoutPtr from;
  LayoutPtr to;
  TermKind terms = TermKind::Any;  // that are there
  MaskRecordPtr buffer = nullptr;  // in the placement; null unless emulated
  bool operator==(const PlanKey&) const = default;
};

struct PlanKeyHash {
  std::size_t operator()(const PlanKey& key) const {
    return std::hash<const void*>{}(key.from.get()) * 31 + std::hash<const void*>{}(key.to.get());
  }
};

// A plan, and what its steps mean for the hosted ranks.
struct PreparedPlan {
  Plan plan;
  std::vector<StepGeometry> geometry;  // of each step; empty where it is too large to be kept
  MaskRecordPtr buffer = nullptr;      // that its masks go into; null unless emulated
};

using CachedCallPtr = std::shared_ptr<const CachedCall>;
using PlanPtr = std::shared_ptr<const PreparedPlan>;
using StrategyCache = BoundedCache<std::string, CachedCallPtr>;
using PlanCache = BoundedCache<PlanKey, PlanPtr, PlanKeyHash>;

// Everything that sharded tensors of one mesh share: the ranks they live on and how those
// communicate, the caches, the live masks, and the recorder. Two runtimes share none of that, and
// their tensors do not mix; what libtorch keeps for the process (its random generator, the buffers
// of its allocators, its settings) they share. One thread at a time may use a runtime with its
// tensors: libtorch's backward runs on GPUs in a thread of its own, for which the caller waits.
class Runtime : public std::enable_shared_from_this<Runtime> {
 public:
  // All ranks simulated in this process.
  static std::shared_ptr<Runtime> simulated(DeviceMesh mesh, RuntimeOptions options = {});

  // The ranks of the mesh are those of the communicator.
  Runtime(DeviceMesh mesh, std::unique_ptr<Communicator> comm, RuntimeOptions options);

  // Another mesh over some of the same ranks: its tensors do not mix with this one's, but are
  // written to the same recording. Refuses ranks that are not here.
  std::shared_ptr<Runtime> over(DeviceMesh mesh) const;

  const MeshPtr& mesh() const { return mesh_; }
  const RuntimeOptions& options() const { return options_; }
  Communicator& comm() { return *comm_; }
  // Along one mesh dimension, or several that are flattened into one.
  const MeshGroups& groups(const std::vector<int>& meshDims);
  Recorder& recorder() { return *recorder_; }
  MaskRegistry& masks() { return masks_; }
  LayoutTable& layouts() { return layouts_; }
  StrategyCache& strategyCache() { return strategyCache_; }
  PlanCache& planCache() { return planCache_; }

  // How often a rule was asked, and a plan made, rather than remembered.
  int propagations = 0;
  int plans = 0;

 private:
  Runtime(DeviceMesh mesh, RuntimeOptions options, std::shared_ptr<Recorder> recorder,
          std::unique_ptr<Communicator> comm);

  MeshPtr mesh_;
  RuntimeOptions options_;
  std::shared_ptr<Recorder> recorder_;
  std::unique_ptr<Communicator> comm_;
  std::map<std::vector<int>, MeshGroups> groups_;
  MaskRegistry masks_;
  LayoutTable layouts_;
  StrategyCache strategyCache_;
  PlanCache planCache_;
};

}  // namespace shardlens
