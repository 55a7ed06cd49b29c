#pragma once

#include "core/trace/records/plan_record.h"
#include "core/view/tables/decisions.h"
#include "core/view/tables/table.h"
#include "core/view/words/placement_words.h"

#include <string>

namespace shardlens::view {

// A table of the steps of a plan: that of the current event's redistribution, or the last one
// before it. After a cache hit, the plan was recorded earlier. A step may change several mesh
// dimensions. Held is the size of a step's input and output on one rank.
struct PlanTable {
  enum Column { Move, Axis, Then, Receives, Held, Time, Took };

  Table table;
  Decision decision;
  PlanRecord plan;
  std::string title;    // "x: R → S(0)"; "" without a redistribution
  std::string summary;  // "about 8.1 us, took 40.2 us"
};

// Builds the table. The search for a decision starts at `decided`, which must not be before the
// newest one up to `position`; snapshots know it.
PlanTable planTable(const Journal& journal, EventId position, EventId decided,
                    Notation notation = Notation::DTensor);
inline PlanTable planTable(const Journal& journal, EventId position) {
  return planTable(journal, position, position);
}

}  // namespace shardlens::view
