#include "core/plan/planner.h"
#include "core/plan/transitions.h"

#include <algorithm>

namespace shardlens {
namespace {

class Greedy {
 public:
  Greedy(const Placements& from, const Placements& target) : steps_(from), target_(target) {}

  const Placements& state() const { return steps_.state(); }
  void change(std::size_t dim, const Placement& to) {
    const Placement& now = state()[dim];
    if (isReplicate(now) && isPartial(to) && stillReduces(state(), target_)) return;
    // DTensor has no collective between two shardings of one tensor dimension.
    if (reshards(now, to)) steps_.change(dim, Replicate{});
    steps_.change(dim, to);
  }
  void changeAll() {
    for (std::size_t dim = 0; dim < target_.size(); ++dim) change(dim, target_[dim]);
  }
  Plan take() { return steps_.take(); }

 private:
  Steps steps_;
  const Placements& target_;
};

}  // namespace

Result<Plan> planGreedy(const Spec& current, const Placements& target) {
  Greedy steps(current.placements, target);
  // Without a shard there is nothing to undo first. Reducing into shards from the outer mesh
  // dimension to the inner one leaves less to reduce.
  const bool sharded = std::any_of(current.placements.begin(), current.placements.end(),
                                   [](const auto& p) { return shardedDim(p).has_value(); });
  for (std::size_t dim = sharded ? target.size() : 0; dim-- > 0;) {
    const auto tensorDim = shardedDim(target[dim]);
    const bool aligned = !tensorDim || sameOuterShards(steps.state(), target, dim, *tensorDim);
    steps.change(dim, aligned ? target[dim] : Placement(Replicate{}));
  }
  steps.changeAll();
  steps.changeAll();  // the conversions to partial that had to wait
  Plan plan = steps.take();
  if (auto verified = verifySteps(plan, current.meta.dtype); !verified) {
    return tl::unexpected(verified.error());
  }
  return plan;
}

}  // namespace shardlens
