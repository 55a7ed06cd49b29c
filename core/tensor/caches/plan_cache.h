#pragma once

#include "core/base/bounded_cache.h"
#include "core/plan/row_moves.h"
#include "core/plan/transform_info.h"
#include "core/tensor/layout/layout.h"
#include "core/tensor/layout/step_geometry.h"

#include <functional>
#include <memory>
#include <vector>

namespace shardlens {

struct MaskRecord;

// The key of a plan: everything that a plan depends on besides the runtime's options.
struct PlanKey {
  LayoutPtr from;
  LayoutPtr to;
  PartialKind partialKind = PartialKind::Any;    // what the source's partial values are
  std::shared_ptr<MaskRecord> buffer = nullptr;  // null unless emulated, see MaskPolicy::bufferIn()
  bool operator==(const PlanKey&) const = default;
};

// Hashes the layouts only.
struct PlanKeyHash {
  std::size_t operator()(const PlanKey& key) const {
    return std::hash<const void*>{}(key.from.get()) * 31 + std::hash<const void*>{}(key.to.get());
  }
};

// A plan, with the geometry of its steps for the hosted ranks.
struct PreparedPlan {
  Plan plan;
  std::vector<StepGeometry> geometry;  // one per step; empty if it is too large to cache
};
using PlanPtr = std::shared_ptr<const PreparedPlan>;

// An LRU cache of plans, see BoundedCache.
class PlanCache : public BoundedCache<PlanKey, PlanPtr, PlanKeyHash> {
 public:
  using BoundedCache::BoundedCache;
};

}  // namespace shardlens
