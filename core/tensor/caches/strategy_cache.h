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

// An entry of the strategy cache: the call, the chosen strategy, and the layouts of inputs and
// outputs.
struct CachedCall {
  OpSchema schema;
  RuleMatch use;  // the rule that gave the strategy
  OpStrategy strategy;
  std::vector<LayoutPtr> inputs;  // before redistribution; null for a plain tensor
  std::vector<LayoutPtr> outputs;
  std::vector<std::size_t> counts;  // number of outputs of each return value
  // The placements that each input is redistributed to. These are the strategy's, but if the kernel
  // masks ids itself (fusesMask), ids are replicated where the strategy masks them.
  std::vector<Placements> wanted;
  // False if the strategy takes all inputs as they are placed.
  bool movesInputs = false;
  bool fusesMask = false;              // the kernel masks the ids itself
  std::shared_ptr<MaskRecord> buffer;  // usually null, see MaskPolicy::bufferFor()
};
using CachedCallPtr = std::shared_ptr<const CachedCall>;

// An LRU cache of calls, keyed by callKey().
class StrategyCache : public BoundedCache<std::string, CachedCallPtr> {
 public:
  using BoundedCache::BoundedCache;
};

}  // namespace shardlens
