#pragma once

#include "core/trace/records/plan_record.h"
#include "core/view/table.h"

#include <string>

namespace shardlens::view {

// What a plan could have been, side by side, and what it is.
struct AlternativesTable {
  enum Column { Name, Collectives, Time, Received, Held, Steps };
};
Table alternativesTable(const std::vector<AlternativeRecord>& alternatives, EventId event = 0);

// How the planner searched: "min-cost explored 14 states". Empty where the recording does not say.
std::string searchText(const PlanRecord& plan);

}  // namespace shardlens::view
