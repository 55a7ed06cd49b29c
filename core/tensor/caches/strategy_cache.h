#pragma once

#include "core/base/bounded_cache.h"
#include "core/ops/rule_registry.h"
#include "core/ops/schema.h"
#include "core/tensor/layout/layout.h"

#include <memory>
#include <string>
#include <vector>

namespace shardlens {

struct MaskRecord;

// What the strategy cache remembers of a call: the question, the answer, and where its inputs and
// results lie.
struct CachedCall {
  OpSchema schema;
  RuleMatch use;
  OpStrategy strategy;
  std::vector<LayoutPtr> inputs;  // as they were; null where a tensor is plain
  std::vector<LayoutPtr> outputs;
  std::vector<std::size_t> counts;  // how many outputs each return has
  // Where its inputs have to lie: where the strategy wants them, but where its kernel masks ids
  // itself, those are not masked before.
  std::vector<Placements> wanted;
  bool movesInputs = false;
  bool fusesMask = false;              // the kernel masks ids itself, for its result's placements
  std::shared_ptr<MaskRecord> buffer;  // see MaskPolicy::bufferFor(); null unless emulated
};
using CachedCallPtr = std::shared_ptr<const CachedCall>;

// By callKey().
class StrategyCache : public BoundedCache<std::string, CachedCallPtr> {
 public:
  using BoundedCache::BoundedCache;
};

}  // namespace shardlens
