#pragma once

#include "app/cli/command_line.h"
#include "core/plan/planner.h"

namespace shardlens::cli {

// What `shardlens plan` is asked, read from the words of the command line and the topology file.
struct PlanRequest {
  Spec current;
  Placements target;
  PlannerKind planner = PlannerKind::MinCost;
  CostModel costs;
};

// What is wrong says which option or file it is, what it got and what it expected.
Result<PlanRequest> readPlanRequest(const PlanOptions& options);

}  // namespace shardlens::cli
