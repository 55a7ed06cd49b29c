#include "core/plan/planner.h"
#include "core/plan/transitions.h"

#include <algorithm>

namespace shardlens {
namespace {

void change(Steps& steps, std::size_t dim, const Placement& to) {
  if (steps.state()[dim] == to) return;
  // DTensor has no collective between two ways of cutting one tensor dimension.
  if (recuts(steps.state()[dim], to)) steps.change(dim, Replicate{});
  steps.change(dim, to);
}

}  // namespace

Result<Plan> planGreedy(const Spec& current, const Placements& target) {
  Steps steps(current.placements);
  // Without a shard there is nothing to undo first, and reducing into shards from the outside in
  // leaves less to reduce further in.
  const bool sharded = std::any_of(current.placements.begin(), current.placements.end(),
                                   [](const auto& p) { return shardedDim(p).has_value(); });
  for (std::size_t dim = sharded ? target.size() : 0; dim-- > 0;) {
    const auto tensorDim = shardedDim(target[dim]);
    const bool aligned = !tensorDim || sameOuterShards(steps.state(), target, dim, *tensorDim);
    change(steps, dim, aligned ? target[dim] : Placement(Replicate{}));
  }
  for (std::size_t dim = 0; dim < target.size(); ++dim) change(steps, dim, target[dim]);
  Plan plan = steps.take();
  if (auto verified = verifySteps(plan, current.meta.dtype); !verified) {
    return tl::unexpected(verified.error());
  }
  return plan;
}

}  // namespace shardlens
