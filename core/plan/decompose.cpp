#include "core/plan/planner.h"
#include "core/plan/transitions.h"

#include <algorithm>

namespace shardlens {
namespace {

// A change of one mesh dimension; changes run in ascending order of `when`.
struct Change {
  int when = 0;
  std::size_t meshDim = 0;
  Placement to;
};

// Returns true if the shard stays as it is: it is the same in both, and so are the shards of the
// tensor dimension by mesh dimensions to its left.
bool staysSharded(const Placements& from, const Placements& to, std::size_t dim) {
  return sameSharding(from[dim], to[dim]) &&
         sameOuterShards(from, to, dim, shardedDim(to[dim]).value());
}

}  // namespace

Result<Plan> planDecomposed(const Spec& current, const Placements& target) {
  const Placements& from = current.placements;
  std::vector<Change> changes;
  const int last = static_cast<int>(target.size());
  for (std::size_t dim = 0; dim < target.size(); ++dim) {
    const bool fromShard = shardedDim(from[dim]).has_value();
    const bool toShard = shardedDim(target[dim]).has_value();
    const int place = static_cast<int>(dim);
    if (fromShard && toShard) {
      if (!staysSharded(from, target, dim)) changes.push_back({-place, dim, Replicate{}});
      changes.push_back({place, dim, target[dim]});
    } else if (isReplicate(from[dim]) && isPartial(target[dim])) {
      changes.push_back({last, dim, target[dim]});
    } else {
      changes.push_back({fromShard ? -place : toShard ? place : 0, dim, target[dim]});
    }
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return a.when < b.when; });
  Steps steps(from);
  for (const auto& change : changes) steps.change(change.meshDim, change.to);
  Plan plan = steps.take();
  if (auto verified = verifySteps(plan, current.meta.dtype); !verified) {
    return tl::unexpected(verified.error());
  }
  return plan;
}

}  // namespace shardlens
