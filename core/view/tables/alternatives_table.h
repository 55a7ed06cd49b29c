#pragma once

#include "core/trace/records/plan_record.h"
#include "core/view/tables/table.h"
#include "core/view/words/placement_words.h"

#include <string>

namespace shardlens::view {

// A table of the alternatives of a plan, one per row. Marks the chosen one.
struct AlternativesTable {
  enum Column { Name, Collectives, Time, Received, Held, Steps };
};
// Builds the table. `event` becomes the event of all rows.
Table alternativesTable(const std::vector<AlternativeRecord>& alternatives,
                        const PlacementWords& words = {}, EventId event = 0);

// Returns how the planner searched: "min-cost explored 14 states", and why a cheaper plan may
// exist. "" if the recording has neither.
std::string searchText(const PlanRecord& plan);

}  // namespace shardlens::view
