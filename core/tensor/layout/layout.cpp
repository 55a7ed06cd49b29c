#include "core/tensor/layout/layout.h"

#include "core/model/hash.h"
#include "core/model/shard_geometry.h"

#include <algorithm>

namespace shardlens {

LayoutPtr LayoutTable::of(const Spec& spec) {
  Hasher hasher;
  hasher.add(spec);
  const auto [first, last] = table_.equal_range(hasher.value());
  for (auto it = first; it != last; ++it) {
    auto layout = it->second.lock();
    if (layout != nullptr && layout->spec == spec) return layout;
  }
  if (table_.size() >= sweepAt_) dropUnused();
  auto layout = std::make_shared<Layout>();
  layout->spec = spec;
  layout->localShapes.reserve(hosted_.size());
  for (const int rank : hosted_) {
    layout->localShapes.push_back(localShape(spec.meta.shape, *spec.mesh, spec.placements, rank));
  }
  table_.emplace(hasher.value(), layout);
  return layout;
}

// Runs each time the table has doubled, so that the amortised cost per layout is constant.
void LayoutTable::dropUnused() {
  for (auto it = table_.begin(); it != table_.end();) {
    it = it->second.expired() ? table_.erase(it) : std::next(it);
  }
  sweepAt_ = std::max<std::size_t>(64, 2 * table_.size());
}

}  // namespace shardlens
