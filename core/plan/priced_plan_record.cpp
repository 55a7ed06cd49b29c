#include "core/plan/priced_plan_record.h"

namespace shardlens {

AlternativeRecord recordOf(const Spec& current, const PricedPlan& plan, bool chosen) {
  return {.name = plan.name,
          .via = plan.via,
          .route = routeOf(current.placements, plan.plan),
          .collectives = plan.collectives,
          .bytes = plan.total.received,
          .microseconds = plan.total.microseconds,
          .peak = plan.total.peak,
          .chosen = chosen};
}

}  // namespace shardlens
