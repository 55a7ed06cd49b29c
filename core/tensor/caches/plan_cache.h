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

struct PlanKey {
  LayoutPtr from;
  LayoutPtr to;
  TermKind terms = TermKind::Any;                // that are there
  std::shared_ptr<MaskRecord> buffer = nullptr;  // see MaskPolicy::bufferIn(); null unless emulated
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
  std::vector<StepGeometry> geometry;  // of each step; empty where it is too large to keep
};
using PlanPtr = std::shared_ptr<const PreparedPlan>;

class PlanCache : public BoundedCache<PlanKey, PlanPtr, PlanKeyHash> {
 public:
  using BoundedCache::BoundedCache;
};

}  // namespace shardlens
