#include "core/trace/recorder/collective_counts.h"

namespace shardlens {

CollectiveCounts::Count& CollectiveCounts::of(int step, CollectiveKind kind) {
  for (auto it = counts_.rbegin(); it != counts_.rend() && it->step == step; ++it) {
    if (it->kind == kind) return *it;
  }
  return counts_.emplace_back(Count{step, kind});
}

}  // namespace shardlens
