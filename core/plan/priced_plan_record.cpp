#include "core/plan/priced_plan_record.h"

#include "core/model/notation.h"

namespace shardlens {

AlternativeRecord recordOf(const Spec& current, const PricedPlan& plan, bool chosen) {
  return {.name = plan.name,
          .steps = toText(current.placements, plan.plan),
          .collectives = plan.collectives,
          .bytes = plan.total.received,
          .microseconds = plan.total.microseconds,
          .peak = plan.total.peak,
          .chosen = chosen};
}

}  // namespace shardlens
